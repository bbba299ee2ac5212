import { beforeAll, describe, expect, it } from 'vitest';
import type { StoredDocument } from '../../../src/model/entity/entity.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

/** Few values, so that many jobs are tied, and every fifth job has none. */
const JOBS = 43;
const PAGE = 7;
const FIELDS = ['eta', 'refNumber', 'created_at', 'modified_at'];

type Row = { readonly id: string; readonly values: Readonly<Record<string, string | number | null>> };
let rows: Row[];

beforeAll(async () => {
  const body = Array.from({ length: JOBS }, (_, i) => ({
    ...(i % 5 > 0 && { eta: `2026-0${1 + ((i * 7) % 3)}-01T00:00:00+0${i % 3}:00` }),
    ...(i % 5 > 0 && { refNumber: `R-${(i * 11) % 4}` }),
  }));
  const path = `/v2/workspaces/${workspace.id}/documents/bulk`;
  const { body: made } = await service.ask('POST', path, { as: 'client', body: { type: 'svc.inspection.job', body } });
  const documents = service.stores.db.collection<{ _id: string }>('documents');
  for (const [i, { id }] of made.entries()) {
    // Times shared by several, as in imports from elsewhere.
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
    await documents.updateOne({ _id: id }, { $set: { created_at: at((i * 3) % 5), modified_at: at((i * 5) % 7) } });
  }
  const stored = await service.stores.db
    .collection<StoredDocument>('documents')
    .find({ workspace: workspace.id, type: 'svc.inspection.job' })
    .toArray();
  const time = (value: unknown): number | null => (value instanceof Date ? value.getTime() : null);
  rows = stored.map(({ _id: id, body: { refNumber }, keys, created_at, modified_at }) => ({
    id,
    values: {
      eta: time(keys.eta),
      refNumber: typeof refNumber === 'string' ? refNumber : null,
      created_at: time(created_at),
      modified_at: time(modified_at),
    },
  }));
});

/** The order in the contract: absent values first in asc, ties by id ascending whatever the direction. */
const inOrder = (field: string, direction: string): string[] => {
  const rank = (value: string | number | null | undefined, other: string | number | null | undefined): number => {
    if (value === other) return 0;
    if (value === null || value === undefined) return -1;
    if (other === null || other === undefined) return 1;
    return value < other ? -1 : 1;
  };
  const sign = direction === 'asc' ? 1 : -1;
  return [...rows]
    .sort((a, b) => sign * rank(a.values[field], b.values[field]) || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
};

const page = async (window: string, orderBy: object) => {
  const query = `query Q($w: UUID!, $orderBy: [SortField!]) {
    jobs(workspace: $w, ${window}, orderBy: $orderBy) { nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }
  }`;
  const { body } = await service.graphql(query, { w: workspace.id, orderBy: [orderBy] });
  expect(body.errors).toBeUndefined();
  const { nodes, pageInfo } = body.data.jobs;
  return { ids: nodes.map(({ id }: { id: string }) => id) as string[], ...pageInfo };
};

const ORDERS = FIELDS.flatMap((field) => ['asc', 'desc'].map((direction) => ({ field, direction })));

describe.each(ORDERS)('a list by $field, $direction', (order) => {
  it('has each row once and in its place, page by page, forwards and backwards', async () => {
    const expected = inOrder(order.field, order.direction);
    const forwards: string[] = [];
    for (let window = `first: ${PAGE}`; ; ) {
      const { ids, endCursor, hasNextPage } = await page(window, order);
      forwards.push(...ids);
      if (!hasNextPage) break;
      window = `first: ${PAGE}, after: "${endCursor}"`;
    }
    expect(forwards).toEqual(expected);
    const backwards: string[] = [];
    for (let window = `last: ${PAGE}`; ; ) {
      const { ids, startCursor, hasPreviousPage } = await page(window, order);
      backwards.unshift(...ids);
      if (!hasPreviousPage) break;
      window = `last: ${PAGE}, before: "${startCursor}"`;
    }
    expect(backwards).toEqual(expected);
  });

  it('begins at any offset', async () => {
    const expected = inOrder(order.field, order.direction);
    for (const offset of [0, 1, 6, 17, 30, JOBS - 1, JOBS, JOBS + 5]) {
      const path = `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job&limit=${PAGE}`;
      const { body } = await service.ask('GET', `${path}&sort=${order.field}:${order.direction}&offset=${offset}`, {
        as: 'client',
      });
      expect({ offset, ids: body.map(({ id }: { id: string }) => id) }).toEqual({
        offset,
        ids: expected.slice(offset, offset + PAGE),
      });
    }
  });
});
