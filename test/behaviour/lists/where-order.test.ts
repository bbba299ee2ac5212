import { describe, expect, it } from 'vitest';
import { ask, LIST, service, tradeFixture, workspace } from './where-fixture.ts';

tradeFixture();

describe('a typed order', () => {
  const ordered = async (order: object[]) => {
    const { data, errors } = await ask(LIST, { w: workspace.id, order });
    expect(errors).toBeUndefined();
    return data.jobs.nodes.map(({ tripNumber }: { tripNumber: string }) => tripNumber);
  };
  it('sorts by one field, then by the next', async () => {
    expect(await ordered([{ eta: 'asc' }])).toEqual(['bare', 'load', 'sample', 'far']);
    expect(await ordered([{ eta: 'desc' }])).toEqual(['far', 'sample', 'load', 'bare']);
    expect(await ordered([{ status: 'desc' }, { tripNumber: 'desc' }])).toEqual(['sample', 'load', 'far', 'bare']);
    expect(await ordered([{ cargo: { quantity: 'desc' } }, { tripNumber: 'asc' }])).toEqual([
      'load',
      'sample',
      'bare',
      'far',
    ]);
    expect(await ordered([{ createdAt: 'asc' }])).toEqual(['load', 'sample', 'far', 'bare']);
    expect(await ordered([])).toEqual(['bare', 'far', 'sample', 'load']);
  });

  it('has one field in each step, and only one form', async () => {
    for (const order of [[{ eta: 'asc', status: 'asc' }], [{}], [{ eta: null }], [{ location: 'asc' }]]) {
      expect((await ask(LIST, { w: workspace.id, order })).errors[0].extensions.code).toBe('BAD_USER_INPUT');
    }
    const both = '{ jobs(order: [{ eta: asc }], orderBy: [{ field: "eta" }]) { totalCount } }';
    expect((await ask(both, {})).errors[0].extensions).toMatchObject({
      code: 'INVALID_INPUT',
      errors: [{ parameter: 'order' }],
    });
  });
});

describe('an invalid typed filter', () => {
  it('is refused with every fault by its path', async () => {
    const where = {
      eta: { gte: 'tomorrow', eq: '2026-13-01' },
      or: [{ cargo: { quantity: { lt: null } } }, { status: null }],
      not: null,
      location: { name: { contains: null } },
      cargo: null,
      refNumber: { exists: null, in: null },
    };
    const { errors } = await ask(LIST, { where });
    expect(errors[0].extensions.code).toBe('INVALID_INPUT');
    expect(errors[0].extensions.errors.map(({ parameter }: { parameter: string }) => parameter).sort()).toEqual([
      'where.cargo',
      'where.eta.eq',
      'where.eta.gte',
      'where.location.name.contains',
      'where.not',
      'where.or.0.cargo.quantity.lt',
      'where.or.1.status',
      'where.refNumber.exists',
      'where.refNumber.in',
    ]);
  });

  it.each([
    [{ status: 'active' }],
    [{ status: { eq: { $ne: null } } }],
    [{ status: { $gt: '' } }],
    [{ $where: 'true' }],
    [{ cargo: { quantity: { gt: '1' } } }],
    [{ id: { eq: 'x' } }],
    [{ nothing: { eq: 'x' } }],
    [{ transports: [{ name: { eq: 'x' } }] }],
  ])('is refused by its types: %j', async (where) => {
    expect((await ask(LIST, { where })).errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  it('is refused when too large or nested too deeply', async () => {
    const many = { or: Array.from({ length: 201 }, () => ({ status: { eq: 'x' } })) };
    expect((await ask(LIST, { where: many })).errors[0].message).toContain('at most 200 comparisons');
    const values = { status: { in: Array.from({ length: 1001 }, String) } };
    expect((await ask(LIST, { where: values })).errors[0].message).toContain('at most 1000 values');
    for (const levels of [20, 5_000]) {
      const deep = `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
      const body = `{"query":${JSON.stringify(LIST)},"variables":{"where":${deep}}}`;
      const answer = await service.ask('POST', '/graphql', { as: 'client', body });
      expect([levels, answer.body.errors[0].extensions.code]).toEqual([
        levels,
        expect.stringMatching(/^(INVALID_INPUT|BAD_USER_INPUT)$/),
      ]);
    }
  });
});

describe('a cursor', () => {
  const PAGE =
    'query P($after: String, $before: String, $first: Int, $last: Int, $where: JobWhere, $order: [JobOrder!]) { jobs(first: $first, last: $last, after: $after, before: $before, where: $where, order: $order) { nodes { tripNumber } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }';
  const where = { location: { name: { contains: 'o' } } };
  const page = async (variables: object) =>
    (await ask(PAGE, { where, order: [{ eta: 'asc' }], ...variables })).data.jobs;
  const names = ({ nodes }: { nodes: { tripNumber: string }[] }) => nodes.map(({ tripNumber }) => tripNumber);

  it('pages forward and back through a typed list', async () => {
    const first = await page({ first: 3 });
    expect([names(first), first.pageInfo.hasNextPage]).toEqual([['baltic', 'load', 'sample'], true]);
    const second = await page({ first: 3, after: first.pageInfo.endCursor });
    expect([names(second), second.pageInfo.hasNextPage, second.pageInfo.hasPreviousPage]).toEqual([
      ['far'],
      false,
      true,
    ]);
    const back = await page({ last: 2, before: second.pageInfo.startCursor });
    expect([names(back), back.pageInfo.hasPreviousPage]).toEqual([['load', 'sample'], true]);
  });

  it('continues when a relation has gained records', async () => {
    const first = await page({ first: 1 });
    await service.ask('POST', `/workspaces/${workspace.id}/catalogs/locations`, {
      as: 'client',
      body: { name: 'Oporto' },
    });
    expect(names(await page({ first: 1, after: first.pageInfo.endCursor }))).toEqual(['load']);
  });

  it('belongs to its filter and its order', async () => {
    const { pageInfo } = await page({ first: 1 });
    for (const change of [
      { where: {} },
      { where: { location: { name: { contains: 'p' } } } },
      { order: [{ eta: 'desc' }] },
      { order: [] },
    ]) {
      const { errors } = await ask(PAGE, {
        where,
        order: [{ eta: 'asc' }],
        first: 1,
        after: pageInfo.endCursor,
        ...change,
      });
      expect(errors[0].extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ parameter: 'after' }] });
    }
    const organizations =
      'query O($part: String, $after: String) { organizations(nameContains: $part, first: 1, after: $after) { pageInfo { endCursor } } }';
    const { data } = await ask(organizations, { part: 'a' });
    const { errors } = await ask(organizations, { part: 'b', after: data.organizations.pageInfo.endCursor });
    expect(errors[0].extensions.errors).toEqual([expect.objectContaining({ parameter: 'after' })]);
  });

  it('is refused when forged', async () => {
    const { pageInfo } = await page({ first: 1 });
    const [signature] = JSON.parse(Buffer.from(pageInfo.endCursor, 'base64url').toString());
    for (const values of [
      [],
      [1],
      [{ $gt: '' }, 'x'],
      [{ at: 'x' }, 'x'],
      [{ at: 1e99 }, 'x'],
      [[], 'x'],
      [null, 'x', 'y'],
    ]) {
      const before = Buffer.from(JSON.stringify([signature, ...values])).toString('base64url');
      const { errors } = await ask(PAGE, { where, order: [{ eta: 'asc' }], last: 1, before });
      expect([values, errors?.[0].extensions.errors]).toEqual([
        values,
        [expect.objectContaining({ parameter: 'before' })],
      ]);
    }
    const { errors } = await ask('{ jobs(last: 1, offset: 5) { nodes { id } } }', {});
    expect(errors[0].extensions.errors).toEqual([expect.objectContaining({ parameter: 'offset' })]);
  });
});
