import type { Endpoint } from '../rest-compat/declare/endpoint.ts';
import { endpoints } from '../rest-compat/endpoints.ts';
import { runScenario } from '../test/openapi/scenario.ts';
import type { Line, Send } from '../test/openapi/scenario-fixture.ts';
import { BOUNDARY, fieldPart, filePart, formOf } from '../test/rest-compat/form.ts';
import type { Client, Request } from './client.ts';

/** A request that was answered as it should be, from which others are made. */
interface Recorded extends Request {
  /** The endpoint's id. */
  readonly id: string;
}

/** Does what the examples of OpenAPI show, and gives every request of it; nothing is deleted, so that the ids stay good. */
export async function recordCorpus(client: Client): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = [];
  let cookie = '';
  const send: Send = async (id, line = {}) => {
    const endpoint = endpoints.find((one) => one.id === id);
    if (!endpoint) throw new Error(`There is no endpoint ${id}.`);
    const request = requestOf(endpoint, line, cookie);
    recorded.push(request);
    if (endpoint.method === 'DELETE') return {};
    const answer = await client.send(request);
    if (answer === undefined || answer.status >= 300) throw new Error(`${id}: ${answer?.status} ${answer?.text}`);
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return answer.headers.get('content-type')?.includes('json') ? JSON.parse(answer.text) : undefined;
  };
  await runScenario(send);
  return recorded;
}

function requestOf(endpoint: Endpoint, { as = 'client', at = {}, query, body, form }: Line, cookie: string): Recorded {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => at[name] ?? `no-${name}`);
  // Nobody waits for news here.
  const asked = query === undefined ? '' : `?${query.replace(/&wait=\d+/, '')}`;
  const by: Record<string, string> =
    as === 'session'
      ? { Cookie: cookie, 'X-Requested-With': 'fetch' }
      : { Authorization: `Bearer demo-${as === 'stranger' ? 'observer' : as === 'reader' ? 'readonly' : as}-key` };
  const { bytes, type } = bodyOf(body, form);
  return {
    id: endpoint.id,
    method: endpoint.method,
    path: `${path}${asked}`,
    headers: { ...by, ...(type !== undefined && { 'Content-Type': type }) },
    body: bytes,
  };
}

function bodyOf(body: unknown, form: Line['form']): { readonly bytes?: Buffer; readonly type?: string } {
  if (form) {
    const fields = Object.entries(form.fields ?? {}).map(([name, value]) => fieldPart(name, value));
    const bytes = formOf(filePart(form.file), ...fields);
    return { bytes, type: `multipart/form-data; boundary=${BOUNDARY}` };
  }
  return body === undefined ? {} : { bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' };
}
