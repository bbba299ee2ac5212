import { Decimal128 } from 'mongodb';
import { MOST_VESSELS } from '../../model/document-types/job.ts';
import { isTenantPartition } from '../../model/entity/partition.ts';
import { type Amount, amountOf, textOf } from './amount.ts';
import { type Cell, type CountedDocument, type CountedReport, countedJob, idAt } from './job-cells.ts';

/** The roles of the records by which statistics filter jobs. */
export type Role = 'product' | 'vendor' | 'vessel' | 'location';

/** The narrow document of a job from which statistics are summed. */
export interface JobFact {
  readonly _id: string;
  readonly workspace: string;
  readonly readers: readonly string[];
  readonly created_at: Date;
  /** The keys it is found under: `ALL_JOBS`, and `ofRecord` for each record that it names. */
  readonly of: readonly string[];
  readonly delay?: number;
  readonly cells: readonly Cell[];
}

/** The fact as stored: amounts are BSON decimals. */
export type StoredFact = Omit<JobFact, 'cells'> & { readonly cells: readonly StoredCell[] };
export type StoredCell = Omit<Cell, 'a' | 'b'> & { readonly a?: Decimal128; readonly b?: Decimal128 };

/** The part of a job that statistics use. */
export interface JobDocument extends CountedDocument {
  readonly workspace: string | null;
  readonly readers: readonly string[];
}

/** The key under which all jobs are found. */
export const ALL_JOBS = '';

/** The key under which jobs that name a record are found. */
export const ofRecord = (role: Role, id: string): string => `${role} ${id}`;

/** A job with its vessels limited to the number that counts: each becomes an index key, and a job must not have thousands of those. */
export function countedVessels({ body, ...job }: JobDocument): JobDocument {
  const transports = Array.isArray(body?.transports) ? body.transports : [];
  const vessels = new Set(transports.filter((id) => typeof id === 'string'));
  return { ...job, body: { ...body, transports: [...vessels].slice(0, MOST_VESSELS) } };
}

/** The fact of a job; undefined if it is in no workspace. */
export function factOf(job: JobDocument, below: readonly CountedReport[]): JobFact | undefined {
  const { _id, workspace, readers, created_at } = job;
  if (workspace === null) return undefined;
  // Otherwise the first rebuild would store it, and then sum no month at all.
  if (!(created_at instanceof Date)) throw new TypeError('The job has no time of creation.');
  const { cells, delay } = countedJob(job, below);
  const of = [ALL_JOBS, ...(isTenantPartition(workspace) ? [] : recordsOf(job))];
  return { _id, workspace, readers, created_at, of, ...(delay !== undefined && { delay }), cells };
}

function recordsOf(job: JobDocument): string[] {
  const product = idAt(job, 'cargo.product');
  const [vendor, location] = [idAt(job, 'vendor'), idAt(job, 'location')];
  const vessels = job.body?.transports as readonly string[];
  return [
    ...(product === undefined ? [] : [ofRecord('product', product)]),
    ...(vendor === undefined ? [] : [ofRecord('vendor', vendor)]),
    ...(location === undefined ? [] : [ofRecord('location', location)]),
    ...vessels.map((id) => ofRecord('vessel', id)),
  ];
}

export const storedFact = ({ cells, ...fact }: JobFact): StoredFact => ({ ...fact, cells: cells.map(storedCell) });

export const factFrom = ({ cells, ...fact }: StoredFact): JobFact => ({
  ...fact,
  cells: cells.map(({ a, b, ...cell }) => ({
    ...cell,
    ...(a && { a: amountOf(a.toString()) }),
    ...(b && { b: amountOf(b.toString()) }),
  })),
});

const storedCell = ({ a, b, ...cell }: Cell): StoredCell => ({
  ...cell,
  ...(a !== undefined && { a: storedAmount(a) }),
  ...(b !== undefined && { b: storedAmount(b) }),
});

/** By far the most common amount: a job without reports has no delay yet. */
const ZERO = Decimal128.fromString('0');

/** An amount in the form that MongoDB stores and adds. */
export const storedAmount = (amount: Amount): Decimal128 =>
  amount === 0n ? ZERO : Decimal128.fromString(textOf(amount));

/** Whether two facts are equal. */
export const sameFact = (one: JobFact | undefined, other: JobFact | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && factText(one) === factText(other));

function factText({ _id, workspace, readers, created_at, of, delay, cells }: JobFact): string {
  const told = cells.map(({ facet, key, n, x, y, z, a, b }) => [facet, key, n, x, y, z, a?.toString(), b?.toString()]);
  return JSON.stringify([_id, workspace, readers, created_at.getTime(), of, delay, told]);
}
