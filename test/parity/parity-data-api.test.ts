import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Body, shapeA, shapeB } from '../rest-compat/data-api/bodies.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';

const PATH = '/bridge/v1/data/jobs';
const TYPE = 'svc.inspection.job';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const create = async (body: unknown) => {
  const answer = await service.ask('POST', PATH, { as: 'client', body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
};
const listed = async (id: string) => {
  const { body } = await service.ask('GET', PATH, { as: 'client' });
  return body.find((job: Body) => job.id === id)?.body;
};

/** Integers beyond those a double holds exactly are refused. */
const double = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter(
    (value) =>
      !Number.isInteger(value) || BigInt(value).toString() === JSON.stringify(value) || /e/.test(JSON.stringify(value)),
  );

/** A job's body by every way to it except the Data API. */
const WAYS: Readonly<Record<string, (id: string) => Promise<Body>>> = {
  legacy: async (id) => (await service.ask('GET', `/workspaces/${workspace.id}/jobs/${id}`, { as: 'vendor' })).body,
  v2: async (id) => (await v2('GET', id)).body,
  'v2, as a list': async (id) => {
    const path = `/v2/workspaces/${workspace.id}/documents?type=${TYPE}&filter[id]=${id}`;
    return (await service.ask('GET', path, { as: 'vendor' })).body[0].body;
  },
  graphql: async (id) =>
    (await service.graphql('query J($id: UUID!) { job(id: $id) { body } }', { id })).body.data.job.body,
};
const v2 = async (method: string, id: string, patch?: object) => {
  const path = `/v2/workspaces/${workspace.id}/documents/${id}`;
  const answer = await service.ask(method, path, { as: 'vendor', ...(patch && { body: { body: patch } }) });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
};

/** The positions of sent values that are missing or shown differently; null ids aside. */
function lost(sent: unknown, shown: unknown, path = ''): string[] {
  if (Array.isArray(sent)) {
    if (!Array.isArray(shown) || shown.length !== sent.length) return [path];
    return sent.flatMap((item, index) => lost(item, shown[index], `${path}/${index}`));
  }
  if (typeof sent === 'object' && sent !== null) {
    if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) return [path];
    return Object.entries(sent).flatMap(([name, value]) =>
      name === 'id' && value === null ? [] : lost(value, (shown as Body)[name], `${path}/${name}`),
    );
  }
  return sent === shown ? [] : [path];
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const FORBIDDEN = /^\$|\0|^(__proto__|constructor|prototype|_bsontype)$/;
/** Members unknown to the Data API, of any form. */
const unknown = fc.dictionary(
  text.filter((name) => !FORBIDDEN.test(name)).map((name) => `own ${name}`),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      double,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        text.filter((name) => !FORBIDDEN.test(name)),
        tie('value'),
        { maxKeys: 3 },
      ),
    ),
  })).value,
  { maxKeys: 3 },
);

const any = { text, flag: fc.boolean(), float: double, int: fc.integer() };
const moment = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .chain((date) =>
    fc.constantFrom(date.toISOString(), date.toISOString().slice(0, 10), date.toISOString().replace(/\..*/, '+05:30')),
  );

type Members = Record<string, fc.Arbitrary<unknown>>;
/** An object of these members, all but the required ones optional, plus unknown ones. */
const open = (members: Members, required: string[] = []) =>
  fc
    .tuple(unknown, fc.record(members, { requiredKeys: required }))
    .map(([more, known]): Body => ({ ...more, ...known }));

/** A reference to one of a few records, always by the same xref and name. */
const reference = (catalog: string, members: Members, required: string[] = []) =>
  fc.tuple(fc.nat({ max: 5 }), open(members, required), fc.boolean()).map(
    ([n, rest, isNull]): Body => ({
      ...rest,
      ...(isNull && { id: null }),
      xref: `${catalog}-${n}`,
      name: `The ${catalog} ${n}`,
    }),
  );

const ofBoth = () => ({
  tripNumber: text,
  jobType: text,
  activity: text,
  eta: moment,
  etc: moment,
  notes: text,
  parent: fc.constant(null),
});
const party = (side: 'client' | 'vendor') =>
  unknown.map((more) => ({ ...more, name: workspace.names[side], xref: `xref of ${side}` }));

const bodyOfShapeA = () => {
  const vessel = { type: text, imo: text, imoValid: any.flag };
  const place = { type: text, country: text };
  const product = { type: text, code: text, description: text, sensitive: any.flag };
  const uom = reference('uom', { abbr: text });
  const volume = open({ value: any.float, uom });
  return open(
    {
      ...ofBoth(),
      jobType: text,
      status: text,
      refNumber: text,
      retain: any.flag,
      region: text,
      international: any.flag,
      retainDays: any.int,
      sampleDate: moment,
      coordinator: text,
      operator: text,
      split: any.float,
      inspectors: fc.array(open({ role: text, inspector: text }, ['role', 'inspector']), { maxLength: 2 }),
      confirmedWith: text,
      vendor: party('vendor'),
      client: party('client'),
      inspectionObjects: fc.array(
        open(
          {
            object: reference('vessel', vessel, Object.keys(vessel)),
            location: reference('place', place, Object.keys(place)),
          },
          ['object', 'location'],
        ),
        { maxLength: 3 },
      ),
      cargoes: fc.array(
        open(
          {
            number: any.int,
            product: reference('product', product, ['type', 'sensitive']),
            volume,
            volumeType: text,
            tolerance: text,
            vcfTable: text,
          },
          ['number', 'product'],
        ),
        { maxLength: 2 },
      ),
    },
    ['jobType', 'status', 'refNumber', 'retain', 'vendor', 'client', 'inspectionObjects'],
  );
};

const bodyOfShapeB = () =>
  open(
    {
      ...ofBoth(),
      xref: fc.option(text),
      status: text,
      refNumber: text,
      location: reference('place', { type: text, region: text, country: text }),
      transports: fc.array(reference('vessel', { type: text }), { maxLength: 3 }),
      cargo: open({
        product: reference('product', { type: text }),
        quantity: open({ value: any.float, uom: reference('uom', {}) }),
        description: text,
        sensitive: any.flag,
      }),
      requested: open({ quality: any.flag, quantity: any.flag, timelog: any.flag }),
      client: party('client'),
      vendor: party('vendor'),
      assignees: fc.array(open({ role: text, user: text }), { maxLength: 2 }),
    },
    ['client', 'vendor'],
  );

const asJson = (body: Body): Body => JSON.parse(JSON.stringify(body));
const RUNS = { numRuns: 40 };

describe.each([
  ['A', bodyOfShapeA],
  ['B', bodyOfShapeB],
])('a random job of Shape %s', (shape, bodies) => {
  it('comes back complete: in a workspace, without one, and after another family changed it', async () => {
    await fc.assert(
      fc.asyncProperty(bodies(), async (made) => {
        const sent = asJson(made);
        const placed = await create(sent);
        expect(placed.meta).toEqual({ workspace: workspace.id });
        expect(lost(sent, placed.body)).toEqual([]);
        const loose = await create({ ...sent, client: { ...(sent.client as Body), name: 'Nobody', xref: 'Nobody' } });
        expect(loose.meta).toEqual({});
        const { client: _, ...rest } = sent;
        expect(lost(rest, loose.body)).toEqual([]);
        await v2('PATCH', placed.id, { added: 1 });
        expect(await listed(placed.id)).toEqual({ ...placed.body, added: 1 });
        expect(await listed(loose.id)).toEqual(loose.body);
        await service.graphql('mutation D($id: UUID!) { deleteJob(id: $id) { id } }', { id: loose.id });
        await v2('DELETE', placed.id);
      }),
      RUNS,
    );
  });

  it('is the same document in every other family, with nothing missing', async () => {
    await fc.assert(
      fc.asyncProperty(bodies(), async (made) => {
        const sent = asJson(made);
        const { id } = await create(sent);
        const body = (await WAYS.v2?.(id)) ?? {};
        for (const [name, read] of Object.entries(WAYS)) expect([name, await read(id)]).toEqual([name, body]);
        const { client, vendor, location, transports, cargo, ...plain } = sent;
        expect(lost(plain, body)).toEqual([]);
        for (const reference of [body.client, body.vendor]) expect(reference).toMatch(/^[0-9a-f-]{36}$/);
        if (shape === 'B') {
          const { product, quantity, ...rest } = (cargo ?? {}) as Body;
          expect(lost(rest, body.cargo ?? {})).toEqual([]);
          expect((body.cargo as Body | undefined)?.quantity).toBe((quantity as Body | undefined)?.value);
          expect([typeof body.location, body.transports ?? []]).toEqual([
            location ? 'string' : 'undefined',
            ((transports ?? []) as Body[]).map(() => expect.any(String)),
          ]);
        } else {
          const items = (body.inspectionObjects ?? []) as { object: { id: string }; location: { id: string } }[];
          expect(body.transports ?? []).toEqual(items.map(({ object }) => object.id));
          expect(body.location).toBe(items[0]?.location.id);
          const [first] = (body.cargoes ?? []) as { product: { id: string } }[];
          expect((body.cargo as Body | undefined)?.product).toBe(first?.product.id);
        }
        await v2('DELETE', id);
      }),
      RUNS,
    );
  });
});

describe('a job from the other families', () => {
  it('comes back in Shape B, and is the same job when posted again as such', async () => {
    const body = {
      xref: 'X-1',
      status: 'active',
      eta: '2026-05-01',
      location: { xref: 'L-1', name: 'Port' },
      transports: [{ name: 'MV One' }, { xref: 'V-2', name: 'MV Two' }],
      cargo: { product: { name: 'Gas Oil' }, quantity: 5, uom: { name: 'MT' }, extra: [1] },
      client: { name: workspace.names.client },
      vendor: { name: workspace.names.vendor },
      custom: { a: null },
    };
    const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body });
    const shown = await listed(made.body.id);
    expect(
      lost(
        { ...body, cargo: { product: { name: 'Gas Oil' }, quantity: { value: 5, uom: { name: 'MT' } }, extra: [1] } },
        shown,
      ),
    ).toEqual([]);
    expect(shown).not.toHaveProperty('workspace');
    const again = await create(shown);
    expect(again.body).toEqual(shown);
    expect(await WAYS.legacy?.(again.id)).toEqual(made.body.body);
  });
});

describe('jobs of both shapes', () => {
  it('are the same when posted again as answered', async () => {
    for (const body of [shapeA(workspace), shapeB(workspace)]) {
      const first = await create(body);
      const again = await create(first.body);
      expect([again.body, again.meta]).toEqual([first.body, first.meta]);
    }
  });
});
