import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture } from '../../service.ts';

const service = serviceFixture();
let schemas: { id: string; type: string; schema: Record<string, unknown> }[];

beforeAll(async () => {
  schemas = (await service.ask('GET', '/v2/schemas', { as: 'stranger' })).body;
});

const schemaOf = (type: string) => schemas.find((each) => each.type === type);

describe('the JSON Schemas of the entity types', () => {
  it('are those that envelopes name', async () => {
    const workspace = await makeWorkspace(service);
    const base = `/v2/workspaces/${workspace.id}`;
    const entities = [
      await service.ask('GET', base, { as: 'client' }),
      await service.ask('GET', `/v2/organizations/${workspace.client}`, { as: 'client' }),
      await service.ask('POST', `${base}/xrefs/tests`, { as: 'client', body: { name: 'Density' } }),
      await service.ask('POST', `${base}/documents`, { as: 'client', body: { type: 'svc.nim.job', body: {} } }),
    ];
    for (const { body } of entities) {
      const one = await service.ask('GET', `/v2/schemas/${body.schema}`, { as: 'stranger' });
      expect([one.status, one.body]).toEqual([200, schemaOf(body.type)]);
      expect(one.body.schema).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `urn:uuid:${body.schema}`,
      });
    }
  });

  it('use their id as ETag, and honour conditions', async () => {
    const id = schemaOf('svc.inspection.job')?.id;
    const get = (headers: Record<string, string> = {}) =>
      service.ask('GET', `/v2/schemas/${id}`, {
        as: 'stranger',
        headers: { 'Accept-Encoding': 'identity', ...headers },
      });
    expect((await get()).headers.get('etag')).toBe(`"${id}"`);
    expect((await get({ 'If-None-Match': `"${id}"` })).status).toBe(304);
    expect((await get({ 'If-Match': '"another"' })).status).toBe(412);
  });

  it('include one for each document type, with its required members and marks', () => {
    expect(schemas.map(({ type }) => type)).toEqual(
      expect.arrayContaining(
        ['job', 'qualityResult', 'quantityResult', 'timelog', 'loadPortInformation'].map(
          (name) => `svc.inspection.${name}`,
        ),
      ),
    );
    expect(schemaOf('svc.inspection.qualityResult')?.schema).toMatchObject({
      required: ['workspace', 'parent', 'status', 'setNumber', 'sample', 'test', 'method', 'uom', 'result'],
      properties: {
        sample: { required: ['location'] },
        test: { 'x-catalog': 'tests' },
        date: { 'x-alias': 'testDate' },
        testDate: { 'x-alias-of': 'date' },
      },
    });
  });

  it('are valid, and accept and refuse bodies as the service does', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    for (const { schema } of schemas) expect(ajv.compile(schema)).toBeTypeOf('function');
    const check = ajv.getSchema(String(schemaOf('svc.inspection.timelog')?.schema.$id));
    const workspace = '0190a000-0000-7000-8000-000000000000';
    expect(
      check?.({
        workspace,
        parent: workspace,
        start: '2026-01-31T08:30:00+01:00',
        end: '2026-01-31',
        type: { name: 'A' },
      }),
    ).toBe(true);
    for (const wrong of [
      { start: 'now' },
      { category: 'pause' },
      { type: {} },
      { type: 'Berthed' },
      { parent: null },
    ]) {
      expect(check?.({ workspace, parent: workspace, ...wrong })).toBe(false);
    }
  });

  it('agree with the service on members that are null, empty or name nothing', async () => {
    const { id } = await makeWorkspace(service);
    const make = (type: string, body: object) =>
      service.ask('POST', `/v2/workspaces/${id}/documents`, { as: 'client', body: { type, body } });
    const job = (await make('svc.inspection.job', {})).body.id;
    const openapi = (await service.ask('GET', '/openapi/legacy.json')).body;
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const checkJob = ajv.addSchema(openapi, 'legacy').getSchema('legacy#/components/schemas/JobBody');
    const a = { name: 'A' };
    const result = { status: 'preliminary', setNumber: 1, result: '1', test: a, method: a, uom: a };
    const quality = { ...result, workspace: id, parent: job, sample: { location: 'SHIP' } };
    const limits = { product: a, tests: [{ test: a, method: null, minimum: null }] };
    const bodies: readonly (readonly [type: string, body: object, fits: boolean])[] = [
      ['qualityResult', quality, true],
      ['qualityResult', { ...quality, sample: null }, false],
      ['qualityResult', { ...quality, sample: { location: null } }, false],
      ['qualityResult', { ...quality, status: null }, false],
      ['qualityResult', { ...quality, test: null }, false],
      ['qualityResult', { ...quality, sample: { location: 'SHIP', sealNumber: null }, date: null, notes: null }, true],
      ['specification', limits, true],
      ['specification', { ...limits, product: null }, false],
      ['specification', { ...limits, tests: null }, false],
      ['specification', { ...limits, tests: [{ test: null }] }, false],
      ['job', { transports: [null] }, false],
      ['job', { transports: null, location: null, cargo: { product: null } }, true],
      ...[
        '{}',
        '{"foo":1}',
        '{"id":null}',
        '{"name":""}',
        '{"xref":" \\t"}',
        '{"name":null,"xref":""}',
        '[]',
        '7',
        '""',
      ]
        .map((text) => JSON.parse(text))
        .flatMap((location) => [
          ['job', { location }, false] as const,
          ['job', { transports: [location] }, false] as const,
          ['job', { cargo: { product: location } }, false] as const,
        ]),
      ...['{"name":"B"}', '{"xref":"C"}', '{"id":null,"xref":" ","name":"D"}', '{"name":"E","foo":1}']
        .map((text) => JSON.parse(text))
        .map((location) => ['job', { location, transports: [location] }, true] as const),
    ];
    for (const [type, body, fits] of bodies) {
      const name = `svc.inspection.${type}`;
      const check = ajv.getSchema(String(schemaOf(name)?.schema.$id)) ?? ajv.compile(schemaOf(name)?.schema ?? {});
      const status = fits ? 201 : 400;
      expect([body, check(body), (await make(name, body)).status]).toEqual([body, fits, status]);
      if (type === 'job') expect([body, checkJob?.(body)]).toEqual([body, fits]);
    }
  });

  it('require the workspace of a quality result, which the service fills in before it checks a body', async () => {
    const { id } = await makeWorkspace(service);
    const make = (type: string, body: object) =>
      service.ask('POST', `/v2/workspaces/${id}/documents`, { as: 'client', body: { type, body } });
    const job = await make('svc.inspection.job', {});
    const sent = {
      parent: job.body.id,
      status: 'preliminary',
      setNumber: 1,
      sample: { location: 'SHIP' },
      result: '1',
    };
    const names = { test: { name: 'Density' }, method: { name: 'D4052' }, uom: { name: 'kg/m3' } };
    const made = await make('svc.inspection.qualityResult', { ...sent, ...names });
    expect(made.status).toBe(201);
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const check = ajv.compile(schemaOf('svc.inspection.qualityResult')?.schema ?? {});
    expect([check(made.body.body), check({ ...sent, ...names })]).toEqual([true, false]);
  });

  it('need a credential, and an id that exists', async () => {
    expect((await service.ask('GET', '/v2/schemas')).status).toBe(401);
    expect((await service.ask('GET', `/v2/schemas/${schemas[0]?.id}`)).status).toBe(401);
    for (const id of ['0190a000-0000-7000-8000-000000000000', 'x']) {
      expect((await service.ask('GET', `/v2/schemas/${id}`, { as: 'client' })).status).toBe(404);
    }
  });

  it('are available as a GraphQL query', async () => {
    const { body } = await service.graphql('{ schemas { id type schema } }');
    expect(body.data.schemas).toEqual(schemas);
    const one = await service.graphql(`{ schema(id: "${schemas[0]?.id}") { type } }`);
    expect(one.body.data.schema.type).toBe(schemas[0]?.type);
  });
});
