import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { serviceFixture } from '../service.ts';

const service = serviceFixture();

describe('a reference that is null in a body of the Data API', () => {
  it.each([
    { location: null },
    { client: null, vendor: null },
    { transports: [], cargo: { product: null, quantity: { value: 1, uom: null } } },
  ])('counts as absent, in OpenAPI as in the service: %j', async (body) => {
    const path = '/bridge/v1/data/jobs';
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema({ $id: 'bridge', ...(await service.ask('GET', '/openapi/bridge.json')).body });
    const at = `bridge#/paths/${path.replaceAll('/', '~1')}/post/requestBody/content/application~1json/schema`;
    const fits = ajv.getSchema(at) ?? expect.fail(at);
    expect([fits(body), fits({ location: {} })]).toEqual([true, false]);
    expect((await service.ask('POST', path, { as: 'client', body })).status).toBe(201);
    expect((await service.ask('POST', path, { as: 'client', body: { location: {} } })).status).toBe(400);
  });
});
