// Takes 30 s: a request's credential is checked again once it is more than a second old.
import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../../src/auth/credential-cache.ts';
import { map, operationsOf, UPLOAD, file as variableFile } from '../graphql/uploads/multipart-form.ts';
import { withKeyOf } from '../key-with-scopes.ts';
import { BOUNDARY, fieldPart, filePart, formOf, sendForm } from '../rest-compat/form.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { BY_SCRIPT, SESSION, signIn } from './sign-in.ts';

type Headers = Readonly<Record<string, string>>;

const service = serviceFixture();
const workspace = workspaceFixture(service);
const JSON_BODY = { 'Content-Type': 'application/json' };
const FORM_BODY = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
const jobs = () => `/workspaces/${workspace.id}/jobs`;
const count = (collection: string) => service.stores.db.collection(collection).countDocuments();
const makeJob = async () => (await service.ask('POST', jobs(), { as: 'client', body: {} })).body.id as string;

/** Signs out once requests begun before are old enough to be rechecked; this process then refuses the session at once. */
async function signOut(session: Headers): Promise<void> {
  await sleep(1_200);
  const ended = await service.ask('DELETE', SESSION, { headers: { ...session, ...BY_SCRIPT } });
  expect(ended.status).toBe(204);
}

/** Sends the head of a request and the beginning of its body; `end` sends the rest, and returns the answer. */
async function begin(path: string, { headers, body, method = 'POST' }: Begun) {
  const sent = request(service.url + path, { method, headers: { ...BY_SCRIPT, ...headers }, agent: false });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => undefined);
  sent.on('error', () => undefined).write(body);
  await sleep(50); // it is authenticated
  const answer = async () => {
    const [response] = await answered;
    const text = Buffer.concat(await response.toArray()).toString();
    return { status: response.statusCode, body: JSON.parse(text) };
  };
  return {
    answer,
    send: (more: Buffer | string) => void sent.write(more),
    end: (rest: Buffer | string) => {
      sent.end(rest);
      return answer();
    },
  };
}

interface Begun {
  readonly headers: Headers;
  readonly body: Buffer | string;
  readonly method?: string;
}

const REST = { status: 401, body: { code: 'UNAUTHENTICATED' } };
const GRAPHQL = { status: 401, body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } };

describe('a request whose session ends before its body arrives', () => {
  it('changes nothing, and releases its Idempotency-Key', async () => {
    const session = await signIn(service);
    const key = { 'Idempotency-Key': newId() };
    const created = await begin(jobs(), { headers: { ...session, ...JSON_BODY, ...key }, body: '{"notes":"late"' });
    const job = `${jobs()}/${await makeJob()}`;
    const unneeded = { headers: { ...session, 'Transfer-Encoding': 'chunked' }, body: 'x', method: 'DELETE' };
    const deleted = await begin(job, unneeded);
    await signOut(session);
    const before = [await count('documents'), await count('idempotency')];
    expect(await created.end('}')).toMatchObject(REST);
    expect(await deleted.end('')).toMatchObject(REST);
    expect([await count('documents'), await count('idempotency')]).toEqual(before);
    const headers = { ...(await signIn(service)), ...key };
    expect((await service.ask('POST', jobs(), { headers, body: { notes: 'in time' } })).status).toBe(201);
  });

  it('reads and changes nothing in GraphQL, whatever its form', async () => {
    const session = await signIn(service);
    const create = `mutation { createJob(workspace: "${workspace.id}", body: {}) { id } }`;
    const form = formOf(fieldPart('operations', JSON.stringify({ query: create })), fieldPart('map', '{}'));
    const json = { ...session, ...JSON_BODY };
    const held = [
      [await begin('/graphql', { headers: json, body: '{"query":"{ viewer { id } }"' }), '}'],
      [await begin('/graphql', { headers: json, body: `{"query":${JSON.stringify(create)}` }), '}'],
      [await begin('/graphql', { headers: { ...session, ...FORM_BODY }, body: form.subarray(0, -4) }), '--\r\n'],
    ] as const;
    await signOut(session);
    const before = await count('documents');
    for (const [one, rest] of held) expect(await one.end(rest)).toMatchObject(GRAPHQL);
    expect(await count('documents')).toBe(before);
  });

  it('is answered if the session continues', async () => {
    const session = await signIn(service);
    const created = await begin(jobs(), { headers: { ...session, ...JSON_BODY }, body: '{"notes":"slow"' });
    await sleep(1_200);
    expect((await created.end('}')).status).toBe(201);
  });
});

it('a key revoked before a body arrives is refused with the body', async () => {
  const { headers } = await withKeyOf('client', ['read', 'write'], service);
  const created = await begin(jobs(), { headers: { ...headers, ...JSON_BODY }, body: '{"notes":"late"' });
  const hash = hashSecret(headers.Authorization.replace('Bearer ', ''));
  await service.stores.db.collection('principals').updateOne({ hash }, { $set: { revoked_at: new Date() } });
  await expect
    .poll(async () => (await service.ask('GET', '/v2/schemas', { headers })).status, { timeout: 20_000 })
    .toBe(401);
  expect(await created.end('}')).toMatchObject(REST);
});

describe('an upload whose session ends', () => {
  const stored = () => Promise.all(['fs.chunks', 'fs.files', 'attachments'].map(count));

  it('while its file arrives is then refused, leaving nothing behind', async () => {
    const path = `${jobs()}/${await makeJob()}/files`;
    const session = await signIn(service);
    const before = await stored();
    const form = formOf(filePart('x'.repeat(900_000)));
    const headers = { ...session, ...FORM_BODY };
    const rest = await begin(path, { headers, body: form.subarray(0, 300_000) });
    const operations = operationsOf(UPLOAD, { document: path.split('/')[4], file: null });
    const spec = formOf(operations, map(), variableFile('x'.repeat(900_000)));
    const graphql = await begin('/graphql', { headers, body: spec.subarray(0, 300_000) });
    await signOut(session);
    rest.send(form.subarray(300_000, 600_000));
    graphql.send(spec.subarray(300_000, 600_000));
    expect(await rest.answer()).toMatchObject(REST);
    expect(await graphql.answer()).toMatchObject(GRAPHQL);
    await expect.poll(stored).toEqual(before);
  });

  it('after its file arrived is refused, leaving nothing behind', async () => {
    const path = `${jobs()}/${await makeJob()}/files`;
    const session = await signIn(service);
    const before = await stored();
    const form = formOf(filePart('all of it'));
    const headers = { ...session, ...FORM_BODY };
    const upload = await begin(path, { headers, body: form.subarray(0, -2) });
    await signOut(session);
    expect(await upload.end('\r\n')).toMatchObject(REST);
    await expect.poll(stored).toEqual(before);
  });
});

describe('an answer whose session ends while being read', () => {
  /** More than two socket buffers hold. */
  const LARGE = 48_000_000;
  let content: string;
  let list: string;

  beforeAll(async () => {
    const job = await makeJob();
    const file = formOf(filePart(Buffer.alloc(LARGE, 'x')));
    const { body } = await sendForm(service, `${jobs()}/${job}/files`, file);
    content = `/v2/workspaces/${workspace.id}/documents/${job}/attachments/${body.id}/content`;
    const many = Array.from({ length: 600 }, () => ({ notes: 'x'.repeat(40_000) }));
    const bulk = { type: 'svc.inspection.job', body: many };
    const make = () =>
      service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, { as: 'client', body: bulk });
    for (let made = 0; made < 2; made++) expect((await make()).status).toBe(201);
    list = jobs();
  });

  const read = (path: string, headers: Headers): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get(service.url + path, { headers, agent: false }, resolve).on('error', reject);
    });

  const sizeOf = async (answer: IncomingMessage): Promise<number> => {
    let size = 0;
    for await (const { length } of answer) size += length;
    return size;
  };

  it('is broken off, whether a file or a list', async () => {
    const session = await signIn(service);
    const answers = await Promise.all([read(content, session), read(list, session)]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    await signOut(session);
    for (const answer of answers) await expect(sizeOf(answer)).rejects.toThrow('aborted');
    for (const path of [content, list]) {
      const line = () => service.logged.findLast((one) => one.path === path);
      await expect.poll(line).toMatchObject({ status: 401, level: 30 });
    }
  });

  it('is complete if the session continues', async () => {
    const session = await signIn(service);
    const answer = await read(content, session);
    await sleep(1_200);
    expect(await sizeOf(answer)).toBe(LARGE);
  });
});
