import { expect, it } from 'vitest';
import { problemExamples } from '../../rest-compat/openapi/problem-examples.ts';
import { type Ask, serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

/** A text without its ids and numbers, which differ. */
const general = (text: unknown): string =>
  String(text)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d+/g, 'N');

it('the examples of errors in OpenAPI are what the service says', async () => {
  const seen = new Map<string, string>();
  const ask = async (method: string, path: string, options: Ask = {}) => {
    const answer = await service.ask(method, path, { as: 'client', ...options });
    if (answer.status >= 400) seen.set(answer.body.code, answer.body.detail);
    return answer;
  };
  const jobs = `/workspaces/${workspace.id}/jobs`;
  const name = workspace.names.client;
  await ask('POST', '/v2/organizations', { body: { category: 'shipper' } });
  await ask('GET', '/bridge/v1/data/jobs', { headers: { 'Accept-Version': '2.0' } });
  await ask('GET', '/v2/organizations', { as: undefined });
  await ask('POST', '/v2/organizations', { as: 'reader', body: {} });
  await ask('GET', `/v2/organizations/${workspace.id}`);
  await ask('PUT', '/v2/organizations', { body: {} });
  await ask('GET', '/v2/organizations', { headers: { Accept: 'text/csv' } });
  await ask('POST', '/v2/organizations', { body: { name, category: 'shipper' } });
  await ask('POST', '/v2/organizations', { body: '{}', headers: { 'Content-Type': 'text/plain' } });
  const { body: job } = await ask('POST', jobs, { body: { transports: [{ name: 'MT Heron', xref: 'H1' }] } });
  await ask('DELETE', `/workspaces/${workspace.id}`);
  const change = `/v2/workspaces/${workspace.id}/documents/${job.id}`;
  await ask('PATCH', change, { body: { body: { refNumber: '1' } } });
  const stale = { body: { refNumber: '2' }, previous_version_id: workspace.id };
  await ask('PATCH', change, { body: stale });
  await ask('DELETE', change, { headers: { 'If-Match': `"${workspace.id}"` } });
  for (let round = 0; round < 2; round++)
    await ask('POST', `${jobs}/${job.id}/quantity`, { body: { direction: 'source' } });
  const records = `/workspaces/${workspace.id}/catalogs/transports`;
  await ask('POST', records, { body: { name: 'MT Plover', xref: 'H1' } });
  for (const xref of ['1', '2']) {
    await ask('POST', jobs, { body: { xref }, headers: { 'Idempotency-Key': 'the same' } });
  }
  await ask('POST', jobs, { body: { notes: 'x'.repeat(17_000_000) } });
  const expected = [...seen.keys()].map((code) => [code, problemExamples[code]?.value.detail]);
  expect([...seen].map(([code, text]) => [code, general(text)])).toEqual(
    expected.map(([code, text]) => [code, general(text)]),
  );
  expect(seen.size).toBe(16);
});
