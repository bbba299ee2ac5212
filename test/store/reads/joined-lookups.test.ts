import { setImmediate as endOfTurn } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { nameKey } from '../../../src/model/catalogs.ts';
import { Departures } from '../../../src/store/batching/departures.ts';
import { JoinedLookups } from '../../../src/store/lists/joined-lookups.ts';
import { listRows } from '../../../src/store/sorting/list-cursor.ts';
import { commandsDuring } from '../../profile.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const PAGE = `query Of($workspace: UUID, $where: JobWhere) {
  jobs(workspace: $workspace, where: $where) { nodes { refNumber location { name xref } } }
}`;

beforeAll(async () => {
  const locations = [
    { name: 'Alpha' },
    { name: 'ALPHA', xref: 'upper' },
    { name: 'Beta' },
    { name: 'Gamma', xref: 'g' },
  ];
  for (const [index, location] of locations.entries()) {
    const body = { refNumber: `R${index}`, location };
    const { status } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body });
    expect(status).toBe(201);
  }
});

type Caller = 'client' | 'stranger';

/** The jobs of a location, in one workspace or everywhere the caller can see. */
async function of(
  location: object,
  place: object = { workspace: workspace.id },
  as: Caller = 'client',
): Promise<unknown> {
  const { body } = await service.graphql(PAGE, { ...place, where: { location } }, as);
  expect(body.errors).toBeUndefined();
  return body.data.jobs.nodes.map((job: { refNumber: string }) => job.refNumber);
}

const NAMES = ['Alpha', 'ALPHA', 'alpha', 'Beta', 'Gamma', 'Delta'];

it('concurrent requests for names share one read, and each gets exactly its own', async () => {
  const answers = () => Promise.all(NAMES.map((name) => of({ name: { eq: name } })));
  const alone: unknown[] = [];
  for (const name of NAMES) alone.push(await of({ name: { eq: name } }));
  const commands = await commandsDuring(service, async () => {
    expect(await answers()).toEqual(alone);
  });
  expect(alone[3]).toEqual(['R2']);
  expect(alone[5]).toEqual([]);
  const lookups = commands.filter(
    ({ ns, command }) => String(ns).endsWith('.catalog_records') && command.filter.name_key,
  );
  expect(lookups.length).toBeLessThan(NAMES.length);
});

it('names looked up one by one while a look-up is under way share one read', async () => {
  const begun = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  let reads = 0;
  const patient = new Departures({ patienceMs: 60_000 });
  const lookups = new JoinedLookups(async (query, window) => {
    reads++;
    begun.resolve();
    await asked.promise;
    return listRows(service.stores.db.collection('catalog_records'), query, { ...window, skip: 0 });
  }, patient);
  const lookUp = async (name: string): Promise<number | undefined> => {
    const conditions = [{ stored: 'name_key', anyOf: [nameKey(name)] }];
    const query = { reader: 't', scope: { workspace: workspace.id }, conditions, order: [] };
    return (await lookups.few(query, { limit: 9 }))?.length;
  };
  const found = [lookUp('Beta')];
  await begun.promise;
  for (const name of ['Gamma', 'Alpha', 'Delta']) {
    found.push(lookUp(name));
    await endOfTurn();
  }
  asked.resolve();
  expect(await Promise.all(found)).toEqual([1, 1, 1, 0]);
  expect(reads).toBe(2);
});

it('a long name is looked up alone, and fails no other', async () => {
  const long = 'ﬀ'.repeat(6_000_000);
  const [, ...others] = await Promise.allSettled([
    of({ name: { eq: long } }),
    ...NAMES.map((name) => of({ name: { eq: name } })),
  ]);
  expect(others.map(({ status }) => status)).toEqual(NAMES.map(() => 'fulfilled'));
});

it('a name together with another text must match both', async () => {
  const both = (name: string, xref: string) => of({ name: { eq: name }, xref: { eq: xref } });
  expect(await Promise.all([both('Gamma', 'g'), both('Gamma', 'other'), both('Beta', 'g')])).toEqual([['R3'], [], []]);
});

it("concurrent look-ups never see each other's records", async () => {
  const beta = { name: { eq: 'Beta' } };
  expect(await Promise.all([of(beta, {}), of(beta, {}, 'stranger'), of(beta)])).toEqual([['R2'], [], ['R2']]);
});
