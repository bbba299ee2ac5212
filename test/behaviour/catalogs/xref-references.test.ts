import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  makeWorkspace,
  serviceFixture,
  startTestService,
  type TestService,
  type TestWorkspace,
} from '../../service.ts';

/** Two gateways on one database. */
const service = serviceFixture();
let other: TestService;
let workspace: TestWorkspace;

beforeAll(async () => {
  other = await startTestService({ database: service.stores.db.databaseName });
});
afterAll(() => other.stop());
beforeEach(async () => {
  workspace = await makeWorkspace(service);
});

type Party = 'client' | 'vendor';
interface Reference {
  readonly name?: string;
  readonly xref?: string;
}

const jobs = () => `/workspaces/${workspace.id}/jobs`;
const vessels = () => `/workspaces/${workspace.id}/catalogs/transports`;

const ok = ({ status, text, body }: Answer) => {
  expect(status, text).toBeLessThan(300);
  return body;
};

/** The records that the references of a new job of the party resolve to. */
const named = async (transports: readonly Reference[], as: Party = 'client'): Promise<string[]> =>
  ok(await service.ask('POST', jobs(), { as, body: { transports } })).body.transports;
const one = async (reference: Reference, as: Party = 'client') => (await named([reference], as))[0] ?? '';
const rename = async (id: string, name: string, as: Party) =>
  ok(await service.ask('PATCH', `${vessels()}/${id}`, { as, body: { name } }));

const CREATED: Readonly<Record<string, 1>> = { created_at: 1, _id: 1 };
const records = async () => {
  const found = await service.stores.db
    .collection('catalog_records')
    .find({ workspace: workspace.id, xtype: 'transports' })
    .sort(CREATED)
    .toArray();
  return found.map(({ owner, body: { name, xref }, revision }) => ({
    owner: owner === workspace.client ? 'client' : 'vendor',
    name,
    xref,
    revision,
  }));
};

describe('a reference with only an xref', () => {
  it('resolves to a record of the own party, whatever the other party calls its records', async () => {
    const [theirs, own] = [await one({ xref: '10' }, 'vendor'), await one({ xref: '10' })];
    expect(own).not.toBe(theirs);
    await rename(theirs, 'MT Vendor Ten', 'vendor');
    await rename(own, 'MT Client Ten', 'client');
    expect([await one({ xref: '10' }, 'vendor'), await one({ xref: '10' })]).toEqual([theirs, own]);
    expect(await records()).toMatchObject([
      { owner: 'vendor', name: 'MT Vendor Ten', xref: '10' },
      { owner: 'client', name: 'MT Client Ten', xref: '10' },
    ]);
  });

  it('does not match a record whose name is the same text', async () => {
    const others = [
      await one({ name: '10' }, 'vendor'),
      await one({ name: '11', xref: 'A' }),
      await one({ name: '12' }),
    ];
    for (const xref of ['10', '11', '12']) {
      const id = await one({ xref });
      expect(others).not.toContain(id);
      expect([await one({ xref }), await one({ xref })]).toEqual([id, id]); // the second from the cache
    }
    expect(await one({ name: '12' })).toBe(others[2]);
  });

  it('is not confused with one that also has a name', async () => {
    const theirs = await one({ name: 'undefined' }, 'vendor');
    const both = [{ xref: '10', name: 'undefined' }, { xref: '10' }];
    const ids = await named(both);
    expect(ids[0]).toBe(theirs);
    expect(ids[1]).not.toBe(theirs);
    expect(await named(both.toReversed())).toEqual([ids[1], ids[1]]);
  });

  it('creates a record that a reference by its name finds', async () => {
    const theirs = await one({ xref: '10' }, 'vendor');
    expect(await one({ name: ' 10 ' })).toBe(theirs);
    const own = await one({ xref: '10' });
    expect([await one({ name: '10' }), await one({ name: '10' }, 'vendor')]).toEqual([own, theirs]);
  });

  it('copes with records that earlier versions made unique by their xref as a name', async () => {
    const theirs = await one({ xref: '10' }, 'vendor');
    const stored = service.stores.db.collection<{ _id: string }>('catalog_records');
    await stored.updateOne({ _id: theirs }, { $set: { created_for: '10' } });
    expect(await one({ name: '10', xref: '11' })).toBe(theirs);
    const own = await one({ xref: '10' });
    expect(own).not.toBe(theirs);
    expect([await one({ xref: '10' }), await one({ name: '10' }), await one({ name: '10' }, 'vendor')]).toEqual([
      own,
      own,
      theirs,
    ]);
    await rename(theirs, 'MT Vendor Ten', 'vendor');
    await rename(own, 'MT Client Ten', 'client');
    const third = await one({ name: '10' });
    expect([theirs, own]).not.toContain(third);
  });

  it('creates one record per party in fifty concurrent creations and changes, through two gateways', async () => {
    const body = { transports: [{ xref: 'V-50' }] };
    const ids = await Promise.all(Array.from({ length: 2 }, async () => ok(await create({})).id as string));
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const [by, as] = [i % 2 ? service : other, i % 4 < 2 ? 'client' : 'vendor'] as const;
        const id = ids[i];
        const changed = id === undefined ? undefined : ok(await by.ask('PATCH', `${jobs()}/${id}`, { as, body }));
        const [vessel] = (changed ?? ok(await by.ask('POST', jobs(), { as, body })).body).transports;
        return `${as} ${vessel}`;
      }),
    );
    expect(new Set(answers).size).toBe(2);
    expect((await records()).map(({ owner, xref }) => `${owner} ${xref}`).sort()).toEqual([
      'client V-50',
      'vendor V-50',
    ]);
  });
});

const create = (body: object) => service.ask('POST', jobs(), { as: 'client', body });
const place = 'mutation P($id: UUID!, $w: UUID!) { placeJob(id: $id, workspace: $w) { id } }';

/** Every way to send several references of the client in one request. */
const WAYS: Readonly<Record<string, (references: readonly Reference[]) => Promise<unknown>>> = {
  'one document': (transports) => named(transports),
  'a change': async (transports) => {
    const { id } = ok(await create({}));
    return ok(await service.ask('PATCH', `${jobs()}/${id}`, { as: 'client', body: { transports } }));
  },
  'a bulk': async (references) =>
    ok(
      await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, {
        as: 'client',
        body: { type: 'svc.inspection.job', body: references.map((reference) => ({ transports: [reference] })) },
      }),
    ),
  'a job of the Data API': async (transports) => {
    const { client, vendor } = workspace.names;
    const body = { client: { name: client }, vendor: { name: vendor }, transports };
    const job = ok(await service.ask('POST', '/bridge/v1/data/jobs', { as: 'client', body }));
    expect(job.meta).toEqual({ workspace: workspace.id });
  },
  'a job that is placed': async (transports) => {
    const body = { client: { name: 'Nobody' }, vendor: { name: 'No one' }, transports };
    const { id } = ok(await service.ask('POST', '/bridge/v1/data/jobs', { as: 'client', body }));
    const { body: placed } = await service.graphql(place, { id, w: workspace.id });
    expect(placed.errors).toBeUndefined();
  },
};

/** References, and the records that they create when each party has a record. */
const REFERENCES: Readonly<Record<string, readonly [readonly Reference[], readonly Reference[]]>> = {
  'a new record takes the xref of a later reference': [
    [{ name: 'MT New' }, { name: 'mt new', xref: 'V-1' }, { xref: 'V-1' }],
    [{ name: 'MT New', xref: 'V-1' }],
  ],
  'a record takes one xref': [
    [{ name: 'MT New' }, { name: 'MT New', xref: 'V-1' }, { name: 'MT New', xref: 'V-2' }, { xref: 'V-2' }],
    [
      { name: 'MT New', xref: 'V-1' },
      { name: 'V-2', xref: 'V-2' },
    ],
  ],
  'a record of the own party that is there takes one xref': [
    [{ name: 'MT Own', xref: 'V-1' }, { name: 'MT Own', xref: 'V-2' }, { xref: 'V-1' }, { xref: 'V-2' }],
    [{ name: 'V-2', xref: 'V-2' }],
  ],
  'a record of the other party takes none': [
    [{ name: 'MT Theirs', xref: 'V-1' }, { xref: 'V-1' }, { name: 'mt theirs', xref: 'V-1' }],
    [{ name: 'V-1', xref: 'V-1' }],
  ],
  'a new record of the own party has the name before one of the other party': [
    [{ xref: 'MT Theirs' }, { name: 'MT Theirs', xref: 'V-1' }, { xref: 'V-1' }],
    [
      { name: 'MT Theirs', xref: 'MT Theirs' },
      { name: 'V-1', xref: 'V-1' },
    ],
  ],
};

describe.each(Object.entries(REFERENCES))('references of one request: %s', (_, [references, made]) => {
  const expected = (own?: string) => [
    { owner: 'vendor', name: 'MT Theirs', xref: undefined, revision: 1 },
    { owner: 'client', name: 'MT Own', xref: own, revision: own === undefined ? 1 : 2 },
    ...made.map((record) => ({ owner: 'client', ...record })),
  ];
  const own = references.find(({ name }) => name === 'MT Own')?.xref;

  beforeEach(async () => {
    await one({ name: 'MT Theirs' }, 'vendor');
    await one({ name: 'MT Own' });
  });

  it('in successive requests', async () => {
    for (const reference of references) await one(reference);
    expect(await records()).toMatchObject(expected(own));
  });

  it.each(Object.entries(WAYS))('in %s', async (_way, send) => {
    await send(references);
    const found = await records();
    expect(found).toMatchObject(expected(own));
    expect(found.slice(2).map(({ revision }) => revision)).toEqual(made.map(() => 1));
  });
});
