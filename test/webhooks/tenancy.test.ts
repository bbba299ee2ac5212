import fc from 'fast-check';
import { v7 as newId } from 'uuid';
import { beforeAll, expect, it } from 'vitest';
import { serviceFixture } from '../service.ts';
import { Receiver } from './receiver.ts';
import { asAdminOf, JOB, projectorBegins } from './webhook-fixture.ts';

const service = serviceFixture({ records: true, delivers: true, env: { WEBHOOK_MAX_PER_TENANT: '100' } });

const TENANTS = ['client', 'vendor', 'observer'] as const;
type Tenant = (typeof TENANTS)[number];
const PAIRS: readonly (readonly [Tenant, Tenant])[] = [
  ['client', 'vendor'],
  ['client', 'observer'],
  ['vendor', 'observer'],
];
const keys = new Map<Tenant, Readonly<Record<string, string>>>();
const workspaces: { readonly id: string; readonly parties: readonly Tenant[] }[] = [];

async function ask(method: string, path: string, { as, body }: { as: Tenant; body?: object }) {
  const headers = keys.get(as);
  const answer = await service.ask(method, path, { ...(headers && { headers }), ...(body && { body }) });
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body;
}

beforeAll(async () => {
  await projectorBegins(service);
  const organizations = new Map<Tenant, string>();
  for (const tenant of TENANTS) {
    keys.set(tenant, (await asAdminOf(tenant, service)).headers);
    const body = { name: `${tenant} ${newId()}`, category: 'shipper' };
    organizations.set(tenant, (await ask('POST', '/v2/organizations', { as: tenant, body })).id);
  }
  for (const parties of PAIRS) {
    const [client, vendor] = parties.map((tenant) => ({ id: organizations.get(tenant) }));
    const body = { description: parties.join(' and '), parties: { client, vendor } };
    workspaces.push({ id: (await ask('POST', '/workspaces', { as: parties[0], body })).id, parties });
  }
});

/** Who writes in which workspace, and what: a job, a change of the last one there, or its deletion. */
const step = fc.record({
  workspace: fc.nat({ max: PAIRS.length - 1 }),
  party: fc.nat({ max: 1 }),
  what: fc.constantFrom('create', 'create', 'change', 'delete'),
});

it('a webhook gets everything in the workspaces of its tenant, in order, and nothing else', async () => {
  const run = async (steps: readonly { workspace: number; party: number; what: string }[]) => {
    await using receiver = await Receiver.start();
    const hooks: { readonly path: string; readonly id: string; readonly sees: ReadonlySet<string> }[] = [];
    const hook = async (tenant: Tenant, workspace: string | null, sees: ReadonlySet<string>) => {
      const path = `/hook/${hooks.length}`;
      const url = `http://127.0.0.1:${receiver.port}${path}`;
      hooks.push({ path, sees, id: (await ask('POST', '/v2/webhooks', { as: tenant, body: { url, workspace } })).id });
    };
    for (const tenant of TENANTS) {
      const own = workspaces.filter(({ parties }) => parties.includes(tenant)).map(({ id }) => id);
      await hook(tenant, null, new Set(own));
      for (const workspace of own) await hook(tenant, workspace, new Set([workspace]));
      // One for another tenant's workspace, which no request can create: it never had another one.
      const foreign = workspaces.find(({ parties }) => !parties.includes(tenant))?.id ?? '';
      await hook(tenant, null, new Set());
      const stored = service.stores.db.collection<{ _id: string }>('webhooks');
      const made = await stored.findOneAndDelete({ _id: hooks.at(-1)?.id ?? '' });
      await stored.insertOne({ ...made, _id: newId(), workspace: foreign } as { _id: string });
    }
    const last = new Map<number, string>();
    const made: { readonly workspace: string; readonly document: string; readonly kind: string }[] = [];
    for (const { workspace: index, party, what } of steps) {
      const { id: workspace, parties } = workspaces[index] ?? { id: '', parties: [] };
      const as = parties[party] ?? 'client';
      const path = `/v2/workspaces/${workspace}/documents`;
      const known = last.get(index);
      if (what === 'create' || known === undefined) {
        const { id } = await ask('POST', path, { as, body: { type: JOB, body: {} } });
        last.set(index, id);
        made.push({ workspace, document: id, kind: 'CREATED' });
      } else {
        const isDeletion = what === 'delete';
        if (isDeletion) await ask('DELETE', `${path}/${known}`, { as });
        else await ask('PATCH', `${path}/${known}`, { as, body: { body: { notes: newId() } } });
        if (isDeletion) last.delete(index);
        made.push({ workspace, document: known, kind: isDeletion ? 'DELETED' : 'CHANGED' });
      }
    }
    const expected = hooks.reduce(
      (sum, { sees }) => sum + made.filter(({ workspace }) => sees.has(workspace)).length,
      0,
    );
    await receiver.messages(expected, { ms: 30_000 });
    for (const { path, sees } of hooks) {
      const told = receiver.received.filter((one) => one.path === path).map(({ body: { data } }) => data);
      const wanted = made.filter(({ workspace }) => sees.has(workspace));
      expect(told.length).toBe(wanted.length);
      for (const document of new Set(made.map((one) => one.document))) {
        const kinds = (list: readonly { kind: string }[]) => list.map(({ kind }) => kind);
        expect(kinds(told.filter((data) => data.document_id === document))).toEqual(
          kinds(wanted.filter((one) => one.document === document)),
        );
      }
    }
    await service.stores.db.collection('webhooks').deleteMany({});
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), run), {
    numRuns: 3,
    endOnFailure: true,
  });
}, 120_000);
