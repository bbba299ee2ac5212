import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import type { Example } from '../../rest-compat/openapi/examples.ts';
import { runScenario } from './scenario.ts';
import { openScenario } from './scenario-fixture.ts';

let fixture: Awaited<ReturnType<typeof openScenario>>;
let examples: ReadonlyMap<string, readonly Example[]>;

beforeAll(async () => {
  fixture = await openScenario();
  await runScenario(fixture.send);
  examples = fixture.examples;
});
afterAll(() => fixture.service.stop());

/** The examples of a content, each with its schema's pointer. */
function examplesAt(document: unknown, place: readonly string[]): { schema: string; value: unknown }[] {
  const content = place.reduce((at, step) => at?.[step] as Described, document as Described) ?? {};
  return Object.entries(content).flatMap(([type, { examples = {} }]) => {
    const steps = [...place, type, 'schema'].map((step) => encodeURIComponent(step.replaceAll('/', '~1')));
    return Object.values(examples).map(({ value }) => ({ schema: steps.join('/'), value }));
  });
}

interface Described {
  readonly [name: string]: { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> };
}

describe('the examples of OpenAPI', () => {
  it('cover every endpoint', () => {
    expect(endpoints.map(({ id }) => id).filter((id) => !examples.has(id))).toEqual([]);
  });

  it('match their schemas', async () => {
    const document = (await fixture.service.ask('GET', '/openapi.json')).body;
    const ajv = formats.default(new Ajv2020({ strict: false, validateSchema: false }));
    ajv.addSchema(document, 'openapi');
    for (const { id, path, method } of endpoints) {
      const operation = ['paths', path, method.toLowerCase()];
      const { requestBody, responses } = document.paths[path][method.toLowerCase()];
      const good = Object.keys(responses).filter((status) => Number(status) < 300 && responses[status].content);
      const requests = examplesAt(document, [...operation, 'requestBody', 'content']);
      const answers = good.flatMap((status) => examplesAt(document, [...operation, 'responses', status, 'content']));
      expect([id, requests.length > 0, answers.length > 0]).toEqual([id, requestBody !== undefined, good.length > 0]);
      for (const { schema, value } of [...requests, ...answers]) {
        const check = ajv.compile({ $ref: `openapi#/${schema}` });
        expect(check(value), `${id}: ${ajv.errorsText(check.errors)}`).toBe(true);
      }
    }
  });

  it("are the service's real answers; with -u this test rewrites them", async () => {
    const inOrder = endpoints.flatMap(({ id }) => (examples.has(id) ? [[id, examples.get(id)]] : []));
    const text = `${JSON.stringify(Object.fromEntries(inOrder), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../rest-compat/openapi/examples.json');
  });
});
