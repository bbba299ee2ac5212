import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonText, RawJson } from '../../../src/model/raw-json.ts';
import { CALLERS, serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

it('is what JSON.stringify writes, wherever there are raw values', () => {
  const raw = fc.jsonValue().map((value) => new RawJson(JSON.stringify(value)));
  const data = fc.letrec((tie) => ({
    any: fc.oneof(raw, fc.jsonValue(), fc.array(tie('any')), fc.dictionary(fc.string(), tie('any'))),
  })).any;
  fc.assert(
    fc.property(fc.dictionary(fc.string(), data), (result) => {
      expect(jsonText(result)).toBe(JSON.stringify(result));
    }),
  );
});

it('leaves JSON.stringify as it is after a value that cannot be written', () => {
  const broken = new RawJson(() => {
    throw new Error('it cannot be made');
  });
  expect(() => jsonText({ broken })).toThrow('it cannot be made');
  expect(JSON.stringify({ body: new RawJson('[1]') })).toBe('{"body":[1]}');
});

it('a body of very many members is parsed for none of its occurrences', async () => {
  const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`m${at}`, 1]));
  const make = (path: string, body: unknown) =>
    service.ask('POST', `/v2/workspaces/${workspace.id}/documents${path}`, { as: 'vendor', body });
  const { id } = (await make('', { type: 'svc.inspection.job', body: members })).body;
  const log = Array.from({ length: 10 }, () => ({ parent: id }));
  expect((await make('/bulk', { type: 'svc.inspection.timelog', body: log })).status).toBe(201);
  const page = (inner: string) => `timeLog(first: 10) { job { ${inner} } }`;
  const query = `query Q($id: UUID!) { job(id: $id) { ${page(page('body'))} } }`;
  const headers = { Authorization: `Bearer ${CALLERS.client}`, 'Content-Type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify({ query, variables: { id } }) };
  const before = process.cpuUsage();
  const text = await (await fetch(`${service.url}/graphql`, sent)).text(); // the test does not parse it, either
  const seconds = process.cpuUsage(before).user / 1e6;
  expect(text.split(JSON.stringify(members).slice(1, -1))).toHaveLength(101);
  expect(seconds).toBeLessThan(1.5);
});
