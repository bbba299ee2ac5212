import { v7 as newId } from 'uuid';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { IdempotencyKeys } from '../../../src/store/access/idempotency.ts';
import { CALLERS, serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

afterEach(() => void vi.restoreAllMocks());

/**
 * The next request under a key has that seed, like one whose key was taken over; it finds that it is late after
 * checking the time `looks` times.
 */
function nextIsLate(value: string, looks: number): void {
  const { claim } = IdempotencyKeys.prototype;
  vi.spyOn(IdempotencyKeys.prototype, 'claim').mockImplementationOnce(async function (this: IdempotencyKeys, use) {
    const claimed = await claim.call(this, use);
    if (claimed.state !== 'claimed') throw new Error('the key is in use');
    let left = looks;
    return { ...claimed, seed: { value, isUsed: false, isLate: () => left-- <= 0 } };
  });
}

/** The seed of the sent request. */
async function seedOf(sent: () => Promise<unknown>): Promise<string> {
  const uses = service.stores.db.collection('idempotency');
  const before = await uses.distinct('seed');
  await sent();
  const [seed] = (await uses.distinct('seed')).filter((one) => !before.includes(one));
  return String(seed);
}

const send = async (path: string, body: object | FormData | undefined) => {
  const headers = { Authorization: `Bearer ${CALLERS.client}`, 'Idempotency-Key': newId() };
  const isForm = body instanceof FormData;
  const json = { 'Content-Type': 'application/json' };
  const init = isForm ? { headers, body } : { headers: { ...headers, ...json }, body: JSON.stringify(body ?? {}) };
  const answer = await fetch(service.url + path, { method: 'POST', ...init });
  return { status: answer.status, body: await answer.json() };
};

const ask = async (method: string, path: string, body?: object) =>
  (await service.ask(method, path, { as: 'client', body })).body;

interface Creation {
  readonly path: string;
  readonly body?: object | FormData;
  /** Where it is deleted; by default below the path, by its id. */
  readonly place?: string;
  /** How often it checks the time before its insert; 2 by default. */
  readonly looks?: number;
}

const KINDS: Readonly<Record<string, () => Promise<Creation>>> = {
  organizations: async () => ({ path: '/v2/organizations', body: { name: newId() } }),
  workspaces: async () => {
    const { client, vendor } = workspace;
    const parties = { client: { id: client }, vendor: { id: vendor } };
    return { path: '/v2/workspaces', body: { description: 'Late', parties } };
  },
  catalog_records: async () => ({
    path: `/v2/workspaces/${workspace.id}/xrefs/products`,
    body: { name: newId() },
  }),
  synonyms: async () => {
    const xrefs = `/v2/workspaces/${workspace.id}/xrefs/products`;
    const [one, other] = [await ask('POST', xrefs, { name: newId() }), await ask('POST', xrefs, { name: newId() })];
    const path = `${xrefs}/${one.id}/synonyms/${other.id}`;
    return { path, place: path, looks: 1 };
  },
  attachments: async () => {
    const { id } = await ask('POST', `/workspaces/${workspace.id}/jobs`, {});
    const body = new FormData();
    body.set('file', new Blob(['sealed']), 'report.txt');
    return { path: `/v2/workspaces/${workspace.id}/documents/${id}/attachments`, body };
  },
};

describe.each(Object.entries(KINDS))('a late attempt in %s', (collection, kind) => {
  it.each(['before', 'after'])(
    'is 409 and stores nothing if what another attempt made was deleted since: late %s its insert',
    async (when) => {
      const { path, body, place, looks = 2 } = await kind();
      let id = '';
      const seed = await seedOf(async () => {
        id = (await send(path, body)).body.id;
      });
      await ask('DELETE', place ?? `${path}/${id}`);
      const count = () => service.stores.db.collection<{ _id: string }>(collection).countDocuments();
      const before = await count();
      nextIsLate(seed, when === 'before' ? 0 : looks);
      const late = await send(path, body);
      expect([late.status, late.body.code, await count()]).toEqual([409, 'CONFLICT', before]);
    },
  );
});
