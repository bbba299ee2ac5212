import type { Document, Filter } from 'mongodb';
import { ALL_JOBS, type StoredFact } from '../job-fact.ts';
import { type StoredRollup, startOf, type Unit } from '../rollups.ts';

/** The jobs of a workspace that were created in the same month. */
export interface WorkspaceMonth {
  readonly workspace: string;
  readonly month: Date;
}

/** What rollups of a workspace are told apart by, those first that need fewer jobs if they are in a range. */
const FIELDS = ['of', 'unit', 'start', 'facet', 'key'] as const;
type Field = (typeof FIELDS)[number];

/** Where a rollup is among those of its workspace. */
export type RollupPlace = Pick<StoredRollup, Field>;

/** Values from one (inclusive) to another (exclusive), in MongoDB's order. */
interface Range<T> {
  readonly from?: T;
  readonly to?: T;
}

/** A part of the rollups of a month: those whose fields are in these ranges. */
export type MonthPart = { readonly [field in Field]: Range<RollupPlace[field]> };

/** All rollups of a month. */
export const wholeMonth = ({ month }: WorkspaceMonth): MonthPart => ({
  ...{ of: {}, unit: {}, facet: {}, key: {} },
  start: { from: month, to: startOf('month', month, 1) },
});

/**
 * Two parts that each have half of these rollups. Undefined if the rollups are equal in all fields, or in those by which fewer jobs
 * are read.
 */
export function halvesOf(
  part: MonthPart,
  rollups: readonly RollupPlace[],
  { byFewerJobs }: { readonly byFewerJobs: boolean },
): readonly [MonthPart, MonthPart] | undefined {
  for (const field of byFewerJobs ? FIELDS.slice(0, FIELDS.indexOf('facet')) : FIELDS) {
    const values = rollups.map((one) => one[field]).sort(inOrder);
    const [lowest] = values;
    const middle = values[Math.floor(values.length / 2)];
    if (lowest === undefined || middle === undefined) return undefined;
    const at = inOrder(lowest, middle) < 0 ? middle : values.find((value) => inOrder(lowest, value) < 0);
    if (at === undefined) continue;
    return [
      { ...part, [field]: { ...part[field], to: at } },
      { ...part, [field]: { ...part[field], from: at } },
    ];
  }
  return undefined;
}

/** MongoDB's order: of dates, or of texts by their bytes. */
function inOrder(one: string | Date, other: string | Date): number {
  if (typeof one === 'string' && typeof other === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return Number(one) - Number(other);
}

/** Whether rollups of a period may be in a part. */
export const hasPeriod = ({ unit: units, start: starts }: MonthPart, unit: Unit, start: Date): boolean =>
  isIn(units, unit) && isIn(starts, start);

const isIn = <T extends string | Date>({ from, to }: Range<T>, value: T): boolean =>
  (from === undefined || inOrder(from, value) <= 0) && (to === undefined || inOrder(value, to) < 0);

/** The stages that read the rollups of a part. */
export function rollupsIn({ workspace }: WorkspaceMonth, part: MonthPart): Document[] {
  const ranges = FIELDS.flatMap((field) => (isBounded(part[field]) ? [[field, filterOf(part[field])]] : []));
  return [{ $match: { workspace, ...Object.fromEntries(ranges) } }];
}

/** The stages that read the facts of a part's rollups, with only those records and cells that it sums. */
export function factsIn({ workspace, month }: WorkspaceMonth, part: MonthPart): Document[] {
  const { of, start, facet, key } = part;
  const created_at = filterOf(hasPeriod(part, 'month', month) ? wholeMonth({ workspace, month }).start : start);
  const named = of.from === undefined ? ALL_JOBS : { $elemMatch: filterOf(of) };
  const match = { workspace, of: named, created_at } as unknown as Filter<StoredFact>;
  const fields = {
    of: onlyThose('$of', conditions('$$this', of)),
    cells: onlyThose('$cells', [...conditions('$$this.facet', facet), ...conditions('$$this.key', key)]),
  };
  const counted = fields.cells === 1 ? [] : [{ $match: { 'cells.0': { $exists: true } } }];
  return [{ $match: match }, { $project: { workspace: 1, readers: 1, created_at: 1, ...fields } }, ...counted];
}

const isBounded = ({ from, to }: Range<unknown>): boolean => from !== undefined || to !== undefined;

const filterOf = ({ from, to }: Range<unknown>): Document => ({
  ...(from !== undefined && { $gte: from }),
  ...(to !== undefined && { $lt: to }),
});

const conditions = (path: string, { from, to }: Range<string>): Document[] => [
  ...(from === undefined ? [] : [{ $gte: [path, { $literal: from }] }]),
  ...(to === undefined ? [] : [{ $lt: [path, { $literal: to }] }]),
];

const onlyThose = (input: string, all: readonly Document[]): Document | 1 =>
  all.length === 0 ? 1 : { $filter: { input, cond: { $and: all } } };
