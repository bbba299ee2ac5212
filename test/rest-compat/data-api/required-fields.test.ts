import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { type Body, shapeA, shapeB } from './bodies.ts';

const PATH = '/bridge/v1/data/jobs';

/** The types of the interface, each with values of other types. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  string: [5, true, {}, []],
  int: ['5', 1.5, true, {}],
  float: ['5', true, [], {}],
  boolean: ['true', 0, {}, []],
  datetime: ['tomorrow', '2026-02-30', '2026-05-01T06:00:00', '', 5],
  reference: ['x', 5, {}, ''],
  object: ['text', 5, true, []],
  array: ['text', 5, true, {}],
  item: [null, 'text', 5, []],
};

type Row = readonly [path: string, type: string, required?: 'always' | 'create' | 'submit'];

/** "The Data API: job body", Shape A, of the interface; lists and objects have their own rows. */
const SHAPE_A: readonly Row[] = [
  ['/parent', 'reference'],
  ['/jobType', 'string', 'always'],
  ['/status', 'string', 'always'],
  ['/refNumber', 'string', 'always'],
  ['/tripNumber', 'string', 'submit'],
  ['/region', 'string', 'submit'],
  ['/activity', 'string', 'submit'],
  ['/international', 'boolean'],
  ['/eta', 'datetime'],
  ['/etc', 'datetime'],
  ['/notes', 'string'],
  ['/retainDays', 'int'],
  ['/sampleDate', 'datetime', 'submit'],
  ['/coordinator', 'string', 'submit'],
  ['/operator', 'string', 'submit'],
  ['/split', 'float'],
  ['/inspectors', 'array'],
  ['/inspectors/0', 'item'],
  ['/inspectors/0/role', 'string', 'always'],
  ['/inspectors/0/inspector', 'string', 'always'],
  ['/confirmedWith', 'string'],
  ['/vendor', 'object', 'always'],
  ['/vendor/name', 'string', 'always'],
  ['/vendor/xref', 'string', 'create'],
  ['/client', 'object', 'always'],
  ['/client/name', 'string', 'always'],
  ['/client/xref', 'string', 'create'],
  ['/inspectionObjects', 'array'],
  ['/inspectionObjects/1', 'item'],
  ['/inspectionObjects/1/object', 'object', 'always'],
  ['/inspectionObjects/1/object/id', 'reference'],
  ['/inspectionObjects/1/object/xref', 'string', 'always'],
  ['/inspectionObjects/1/object/name', 'string', 'always'],
  ['/inspectionObjects/1/object/type', 'string', 'always'],
  ['/inspectionObjects/1/object/imo', 'string', 'always'],
  ['/inspectionObjects/1/object/imoValid', 'boolean', 'always'],
  ['/inspectionObjects/1/location', 'object', 'always'],
  ['/inspectionObjects/1/location/xref', 'string', 'always'],
  ['/inspectionObjects/1/location/type', 'string', 'always'],
  ['/inspectionObjects/1/location/name', 'string', 'always'],
  ['/inspectionObjects/1/location/country', 'string', 'always'],
  ['/cargoes', 'array'],
  ['/cargoes/0', 'item'],
  ['/cargoes/0/number', 'int', 'always'],
  ['/cargoes/0/product', 'object', 'always'],
  ['/cargoes/0/product/xref', 'string', 'always'],
  ['/cargoes/0/product/type', 'string', 'always'],
  ['/cargoes/0/product/name', 'string', 'always'],
  ['/cargoes/0/product/code', 'string'],
  ['/cargoes/0/product/description', 'string'],
  ['/cargoes/0/product/sensitive', 'boolean', 'always'],
  ['/cargoes/0/volume', 'object'],
  ['/cargoes/0/volume/value', 'float'],
  ['/cargoes/0/volume/uom', 'object'],
  ['/cargoes/0/volume/uom/xref', 'string'],
  ['/cargoes/0/volume/uom/name', 'string'],
  ['/cargoes/0/volume/uom/abbr', 'string'],
  ['/cargoes/0/volumeType', 'string'],
  ['/cargoes/0/tolerance', 'string'],
  ['/cargoes/0/vcfTable', 'string'],
];

/** The same for Shape B, where nothing is required. */
const SHAPE_B: readonly Row[] = [
  ['/parent', 'reference'],
  ...['/xref', '/refNumber', '/tripNumber', '/jobType', '/status', '/activity', '/notes'].map(
    (path): Row => [path, 'string'],
  ),
  ['/eta', 'datetime'],
  ['/etc', 'datetime'],
  ['/location', 'object'],
  ['/location/id', 'reference'],
  ...['xref', 'name', 'type', 'region', 'country'].map((name): Row => [`/location/${name}`, 'string']),
  ['/transports', 'array'],
  ['/transports/1', 'item'],
  ['/transports/0/id', 'reference'],
  ...['xref', 'name', 'type'].map((name): Row => [`/transports/0/${name}`, 'string']),
  ['/cargo', 'object'],
  ['/cargo/product', 'object'],
  ['/cargo/product/id', 'reference'],
  ...['xref', 'name', 'type'].map((name): Row => [`/cargo/product/${name}`, 'string']),
  ['/cargo/quantity', 'object'],
  ['/cargo/quantity/value', 'float'],
  ['/cargo/quantity/uom', 'object'],
  ['/cargo/quantity/uom/id', 'reference'],
  ...['xref', 'name'].map((name): Row => [`/cargo/quantity/uom/${name}`, 'string']),
  ['/cargo/description', 'string'],
  ['/cargo/sensitive', 'boolean'],
  ['/requested', 'object'],
  ...['quality', 'quantity', 'timelog'].map((name): Row => [`/requested/${name}`, 'boolean']),
  ['/client', 'object'],
  ['/client/id', 'reference'],
  ...['xref', 'name'].map((name): Row => [`/client/${name}`, 'string']),
  ['/vendor', 'object'],
  ...['xref', 'name'].map((name): Row => [`/vendor/${name}`, 'string']),
  ['/assignees', 'array'],
  ['/assignees/0', 'item'],
  ...['role', 'user'].map((name): Row => [`/assignees/0/${name}`, 'string']),
  ...SHAPE_A.filter(([path]) => path.startsWith('/inspectors')).map(([path, type]): Row => [path, type]),
];

interface Form {
  readonly name: string;
  readonly method: 'POST' | 'PUT';
  readonly rows: readonly Row[];
  readonly requires: readonly Row[2][];
  readonly body: () => Body;
}

const submitted = (): Body => {
  const { retain: _, ...body } = shapeA(workspace);
  return body;
};
const FORMS: readonly Form[] = [
  {
    name: 'Shape A, created by POST',
    method: 'POST',
    rows: [...SHAPE_A, ['/retain', 'boolean']],
    requires: ['always', 'create'],
    body: () => shapeA(workspace),
  },
  {
    name: 'Shape A, submitted by POST',
    method: 'POST',
    rows: SHAPE_A,
    requires: ['always', 'submit'],
    body: submitted,
  },
  {
    name: 'Shape A, submitted by PUT',
    method: 'PUT',
    rows: [...SHAPE_A, ['/retain', 'boolean']],
    requires: ['always', 'submit'],
    body: () => shapeA(workspace),
  },
  { name: 'Shape B', method: 'POST', rows: SHAPE_B, requires: [], body: () => shapeB(workspace) },
];

const service = serviceFixture();
const workspace = workspaceFixture(service);

type Change = (holder: Body, name: string) => void;

/** A copy of the body, changed at the pointer. */
function changed(body: Body, path: string, change: Change): Body {
  const copy = structuredClone(body);
  const steps = path.split('/').slice(1);
  const name = steps.pop() ?? '';
  change(
    steps.reduce((value, step) => value[step] as Body, copy),
    name,
  );
  return copy;
}
const without: Change = (holder, name) => {
  delete holder[name];
};
const to =
  (value: unknown): Change =>
  (holder, name) => {
    holder[name] = value;
  };

const send = (method: string, body: unknown) => service.ask(method, PATH, { as: 'client', body });
const count = () => service.stores.db.collection('documents').countDocuments();
const pathsOf = ({ body }: { body: { errors?: { path: string }[] } }) => (body.errors ?? []).map(({ path }) => path);

describe.each(FORMS)('$name', ({ method, rows, requires, body }) => {
  // A POST may omit what only the create form requires: the body then counts as a submit form (contract §13).
  const isTakenAsSubmit = (path: string) => method === 'POST' && ['/client/xref', '/vendor/xref'].includes(path);
  const isRequired = ([path, , required]: Row) =>
    required !== undefined && requires.includes(required) && !isTakenAsSubmit(path);
  // On POST the presence of retain makes a body the create form; see below.
  const members = rows.filter(([path, type]) => type !== 'item' && !(method === 'POST' && path === '/retain'));

  it.each(members.filter(isRequired).map(([path]) => path))('requires %s, which must not be null', async (path) => {
    const before = await count();
    const missing = await send(method, changed(body(), path, without));
    expect([missing.status, missing.body.code]).toEqual([400, 'INVALID_INPUT']);
    expect(missing.body.errors).toEqual([{ path, message: 'is required.' }]);
    const empty = await send(method, changed(body(), path, to(null)));
    expect([empty.status, pathsOf(empty)]).toEqual([400, [path]]);
    expect(await count()).toBe(before);
  });

  it.each(members.filter((row) => !isRequired(row)).map(([path]) => path))('may omit %s', async (path) => {
    expect((await send(method, changed(body(), path, without))).status).toBe(201);
    expect((await send(method, changed(body(), path, to(null)))).status).toBe(201);
  });

  it.each(rows.map(([path, type]) => [path, type] as const))('requires %s of its type: %s', async (path, type) => {
    const before = await count();
    for (const value of WRONG[type] ?? []) {
      const answer = await send(method, changed(body(), path, to(value)));
      expect([value, answer.status, answer.body.code]).toEqual([value, 400, 'INVALID_INPUT']);
      expect(pathsOf(answer)).toEqual([path]);
    }
    expect(await count()).toBe(before);
  });

  it('gets all of its faults at once', async () => {
    const wrong = rows.filter(([path]) => !rows.some(([other]) => other.startsWith(`${path}/`)));
    const spoilt = wrong.reduce((made, [path, type]) => changed(made, path, to(WRONG[type]?.[0])), body());
    const answer = await send(method, spoilt);
    expect(pathsOf(answer).sort()).toEqual(wrong.map(([path]) => path).sort());
  });
});

describe('retain', () => {
  it('is required by the create form: without it, a POST must meet the submit form', async () => {
    const { tripNumber, region, activity, sampleDate, coordinator, operator, split, retain, ...body } =
      shapeA(workspace);
    expect((await send('POST', { ...body, retain })).status).toBe(201);
    const answer = await send('POST', body);
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toEqual([
      '/tripNumber',
      '/region',
      '/activity',
      '/sampleDate',
      '/coordinator',
      '/operator',
    ]);
    expect(pathsOf(await send('POST', { ...body, retain: null }))).toEqual(['/retain']);
  });
});

describe('references', () => {
  it.each([
    ['Shape B', '/location', () => shapeB(workspace)],
    ['Shape B', '/transports/0', () => shapeB(workspace)],
    ['Shape B', '/cargo/quantity/uom', () => shapeB(workspace)],
    ['Shape B', '/client', () => shapeB(workspace)],
    ['Shape A', '/cargoes/0/volume/uom', () => shapeA(workspace)],
  ])('must not be empty in %s: %s', async (_shape, path, body) => {
    for (const empty of [{}, { id: null, xref: null, name: null }, { name: ' ', xref: '' }, { type: 'vessel' }]) {
      const answer = await send('POST', changed(body(), path, to(empty)));
      expect([answer.status, pathsOf(answer)]).toEqual([400, [path]]);
    }
  });

  it.each([
    ['/location', () => shapeB(workspace)],
    ['/cargo/quantity/uom', () => shapeB(workspace)],
    ['/inspectionObjects/1/location', () => shapeA(workspace)],
    ['/cargoes/0/volume/uom', () => shapeA(workspace)],
  ])('with an id that is no record of the workspace are refused: %s', async (path, body) => {
    const records = () => service.stores.db.collection('catalog_records').countDocuments();
    const before = await records();
    const id = '0190a000-0000-7000-8000-000000000000';
    const bodies = [body(), { ...body(), client: { name: 'Nobody', xref: 'Nobody' } }];
    for (const one of bodies) {
      const answer = await send('POST', changed({ ...one, notes: 'refused' }, `${path}/id`, to(id)));
      expect([answer.status, pathsOf(answer)]).toEqual([400, [path]]);
    }
    expect(await records()).toBe(before);
  });
});

it('a body with no member of a job is 400, and the error names them', async () => {
  const { status, body } = await send('POST', { reference: 'R-1' });
  expect([status, body.code]).toEqual([400, 'INVALID_INPUT']);
  const message = expect.stringMatching(
    /^has none of the members of a job: .*refNumber.*, inspectionObjects.*, cargo\W/,
  );
  expect(body.errors).toContainEqual({ path: '', message });
});
