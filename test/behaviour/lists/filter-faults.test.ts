import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const legacy = (query: string) => service.ask('GET', `/workspaces/${workspace.id}/jobs?${query}`, { as: 'client' });
const v2 = (query: string) =>
  service.ask('GET', `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job&${query}`, { as: 'vendor' });
const LIST = 'query List($w: UUID!, $filter: [FieldFilter!]) { jobs(workspace: $w, filter: $filter) { totalCount } }';
const inGraphql = (filter: object[]) => service.graphql(LIST, { w: workspace.id, filter });

describe('a filter', () => {
  it('is one of at most 200', async () => {
    const filters = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ field: 'location.name', anyOf: [`a${i}`] }));
    expect((await inGraphql(filters(200))).body).toMatchObject({ data: { jobs: { totalCount: 0 } } });
    const { body } = await inGraphql(filters(201));
    expect(body.errors[0].extensions).toMatchObject({
      code: 'INVALID_INPUT',
      errors: [{ parameter: 'filter', message: 'may have at most 200 fields.' }],
    });
  });

  it.each([
    'colour',
    'status.$ne',
    'status[$ne]',
    '$where',
    '$or',
    'body',
    'body.id',
    'cargo',
    'requested',
    'cargo.product.id',
    'location.owner',
    'status.name',
    'readers',
    'keys.eta',
    '_id',
    'refs',
    'tenant',
    '__proto__',
    'constructor',
    'toString',
    'schema',
    'meta.workspace',
    'cargo..quantity',
    '.',
    '',
  ])('by a field outside the model is 400: %s', async (field) => {
    const name = encodeURIComponent(field);
    const bare = await legacy(`${name}=x`);
    expect(bare.body).toMatchObject({ status: 400, code: 'INVALID_INPUT', errors: [{ parameter: field }] });
    const bracketed = await v2(`filter[${name}]=x`);
    expect(bracketed.body).toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
      errors: [{ parameter: `filter[${field}]` }],
    });
    const { body } = await inGraphql([{ field, anyOf: ['x'] }]);
    expect(body.errors[0].extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ parameter: field }] });
  });

  it.each([
    ['createdAt', 'created_at'],
    ['refnumber', 'refNumber'],
    ['body.created_at', 'created_at'],
    ['cargo.Product', 'cargo.product'],
    ['statsu', 'status'],
    ['refNumbr', 'refNumber'],
    ['cargo.quantty', 'cargo.quantity'],
    ['locaton.name', 'location.name'],
  ])('by a field in another spelling names the one that is meant: %s', async (field, meant) => {
    const message = `is not a field of the data model; did you mean ${meant}?`;
    expect((await v2(`filter[${field}]=x`)).body.errors[0].message).toContain(message);
    expect((await v2(`sort=${field}`)).body.errors[0].message).toContain(`${field} ${message}`);
    expect((await legacy(`${field}=x`)).body.errors[0].message).toContain(message);
  });

  it.each(['eat', 'nope', 'x', 'status'.repeat(20)])(
    'by a field that resembles no other is 400 without a guess: %s',
    async (field) => {
      const { body } = await v2(`filter[${field}]=x`);
      expect(body.errors[0].message).toContain('is not a field of the data model.');
    },
  );

  it('by many unknown fields guesses at the first ones alone, since guesses take a while', async () => {
    const spelled = (bits: number) =>
      [...'refnumber'].map((c, at) => ((bits >> at) & 1 ? c.toUpperCase() : c)).join('');
    const { body } = await legacy(Array.from({ length: 60 }, (_, bits) => `${spelled(bits + 9)}=x`).join('&'));
    const guesses = body.errors.filter(({ message }: { message: string }) => message.includes('did you mean'));
    expect([body.errors.length, guesses.length]).toEqual([60, 20]);
  });

  it('by a value of an object or list is 400, and says which of its fields can be compared', async () => {
    const { body } = await legacy('cargo=x');
    const message = expect.stringMatching(
      /^is an object or a list of them: only null fits\. .*: cargo\.\w+, cargo\.\w+.*\.$/,
    );
    expect(body.errors).toEqual([{ parameter: 'cargo', message }]);
  });

  it('an order by an object is 400, and says which of its fields can be sorted by', async () => {
    const { body } = await v2('sort=requested');
    const fields = 'requested.quality, requested.quantity, requested.timelog';
    const message = `requested is an object. To sort by a value, name one of its fields: ${fields}.`;
    expect(body.errors).toEqual([{ parameter: 'sort', message }]);
  });

  it('an order by a list is 400, and says that it is one', async () => {
    const { body } = await service.ask('GET', '/bridge/v1/data/jobs?sort=inspectors', { as: 'client' });
    const message = 'inspectors is a list or inside a list, so there is no single value to sort by.';
    expect(body.errors).toEqual([{ parameter: 'sort', message }]);
  });

  it.each([
    'filter[body.status][$ne]=active',
    'status=active',
    'filter=x',
    'filter[status=active',
    'filter[$where]=1',
    'body.status[$gt]=',
  ])('in another v2 syntax is 400: %s', async (query) => {
    expect((await v2(query)).body).toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
      errors: [{ parameter: expect.any(String) }],
    });
  });

  it.each([
    ['cargo.quantity', 'many'],
    ['cargo.quantity', ''],
    ['cargo.quantity', 'NaN'],
    ['cargo.quantity', 'Infinity'],
    ['cargo.quantity', '1e999'],
    ...['0x10', '0b10000', '0o20', '%2016', '16%20', '%2B16', '016', '16.', '.5', '1e', '1_0'].map(
      (value): [string, string] => ['cargo.quantity', value],
    ),
    ...['9007199254740993', '-9007199254740993.0', '9.007199254740993e15', '1152921504606846976'].map(
      (value): [string, string] => ['cargo.quantity', value],
    ),
    ['retainDays', '030'],
    ['retainDays', '9007199254740993'],
    ['retainDays', '1'.repeat(400)],
    ['eta', 'tomorrow'],
    ['eta', '2026-02-30'],
    ['eta', ''],
    ['requested.quality', 'yes'],
    ['requested.quality', '1'],
    ['location', 'Port A'],
    ['parent', '7'],
    ['created_at', 'x'],
    ['id', 'x'],
  ])('by a value of the wrong type is 400: %s=%s', async (field, value) => {
    expect((await legacy(`${field}=${value}`)).body).toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
      errors: [{ parameter: field }],
    });
    const second = await v2(`filter[${field}]=null&filter[${field}]=${value}`);
    expect(second.body).toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
      errors: [{ parameter: `filter[${field}]` }],
    });
  });

  it('by a number that a double cannot hold is 400, and matches nothing near it', async () => {
    const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
      as: 'client',
      body: '{"cargo":{"quantity":9007199254740992}}',
    });
    expect((await legacy('cargo.quantity=9007199254740992')).body).toMatchObject([{ id: made.body.id }]);
    const { body } = await legacy('cargo.quantity=9007199254740993');
    expect(body.errors).toEqual([
      { parameter: 'cargo.quantity', message: expect.stringContaining('without changing its digits') },
    ]);
    const { body: answer } = await inGraphql([{ field: 'cargo.quantity', anyOf: ['9007199254740993'] }]);
    expect(answer.errors[0].extensions).toMatchObject({
      code: 'INVALID_INPUT',
      errors: [{ parameter: 'cargo.quantity' }],
    });
  });

  it('by a whole number accepts any JSON spelling of it, and is 400 otherwise', async () => {
    const make = async (path: string, body: string) =>
      String((await service.ask('POST', `/workspaces/${workspace.id}/${path}`, { as: 'client', body })).body.id);
    const results = `jobs/${await make('jobs', '{}')}/quality`;
    const id = await make(results, '{"setNumber":1e2}');
    const found = (text: string) =>
      service.ask('GET', `/workspaces/${workspace.id}/${results}?setNumber=${text}`, { as: 'client' });
    for (const text of ['100', '1e2', '1E%2B2', '100.0', '0.1e3', '10000e-2'])
      expect([text, (await found(text)).body]).toEqual([text, [expect.objectContaining({ id })]]);
    for (const text of ['1.5', '1e-2', '0100', '0x64', '%2B100', '100.', 'Infinity', '', '9007199254740993', '1e400'])
      expect([text, (await found(text)).body.errors]).toEqual([
        text,
        [{ parameter: 'setNumber', message: expect.stringMatching(/^must be a .*number/) }],
      ]);
  });

  it('names every fault at once', async () => {
    const { body } = await legacy('colour=red&eta=x&cargo.quantity=x&sort=size');
    expect(body.errors.map(({ parameter }: { parameter: string }) => parameter).sort()).toEqual([
      'cargo.quantity',
      'colour',
      'eta',
      'sort',
    ]);
  });
});
