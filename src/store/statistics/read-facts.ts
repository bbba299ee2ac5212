import type { ClientSession, Db, Document, Filter } from 'mongodb';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import type { Json } from '../../model/json.ts';
import { ReadLimit, TooMuchAtOnce } from '../batching/read-limit.ts';
import {
  COUNTED_TYPES,
  type CountedDocument,
  type CountedReport,
  comparedReports,
  figuresOf,
  LONGEST_ID,
  LONGEST_TEXT,
  MEASUREMENTS,
} from './job-cells.ts';
import { countedVessels, factOf, type JobDocument, type JobFact } from './job-fact.ts';

/** Streams the results of aggregations; all of a reader's reads see the same moment. */
export interface RowReader {
  stream<T extends Document>(name: string, stages: readonly Document[], batchSize?: number): AsyncIterable<T>;
}

/** Reads in a session, or without one. */
export const rowsOf = (db: Db, session?: ClientSession): RowReader => ({
  stream: (name, stages, batchSize = 5_000) =>
    db.collection(name).aggregate([...stages], { ...(session && { session }), allowDiskUse: true, batchSize }) as never,
});

const isText = (path: string): Document => ({ $eq: [{ $type: path }, 'string'] });
/** The value at a path; longer texts are cut to just enough to show that they are too long. */
const upTo = (most: number, path: string): Document => ({
  $cond: [isText(path), { $substrCP: [path, 0, most + 1] }, path],
});
const only = (is: Document, value: Document | string): Document => ({ $cond: [is, value, '$$REMOVE'] });
const all = (paths: readonly string[]): Document => Object.fromEntries(paths.map((path) => [path, 1]));
const shortAt = (most: number, names: readonly string[]): Document =>
  Object.fromEntries(names.map((name) => [`body.${name}`, upTo(most, `$body.${name}`)]));

/** MongoDB reads this many documents, which may be as large as it stores, before their sizes are known here. */
const SIZED_AT_ONCE = 100;
const SIZE = { size: { $bsonSize: '$$ROOT' } };

const JOB_FIELDS = {
  ...SIZE,
  ...all(['type', 'workspace', 'readers', 'created_at', 'keys.etc', 'body.transports']),
  ...shortAt(LONGEST_TEXT, ['status', 'activity']),
  ...shortAt(LONGEST_ID, ['location', 'vendor', 'cargo.product']),
};

const BELOW_FIELDS = {
  ...SIZE,
  ...all(['type', 'parent_id', 'created_at', 'keys.start', 'keys.end', 'keys.date']),
  ...all(['isOffSpec', 'isPassed', 'isPerformed', 'direction'].map((name) => `body.${name}`)),
  ...shortAt(LONGEST_ID, ['portOfLoading']),
};

const COUNTED_MEASUREMENTS = {
  $map: {
    input: { $slice: ['$body.measurements', MEASUREMENTS] },
    as: 'one',
    in: {
      code: only(isText('$$one.code'), '$$one.code'),
      name: only(isText('$$one.name'), '$$one.name'),
      value: only({ $isNumber: '$$one.value' }, '$$one.value'),
      uom: only(isText('$$one.uom'), upTo(LONGEST_ID, '$$one.uom')),
    },
  },
};
const MEASURED = { measurements: only({ $isArray: '$body.measurements' }, COUNTED_MEASUREMENTS) };

/**
 * The facts of the jobs with these ids, by id; missing jobs are omitted. Only what counts of each report is held, not the
 * reports themselves, so they take little memory however large they are. Throws `TooMuchAtOnce` if the limit does not allow for
 * all; a job that it does not allow for by itself is counted without its reports.
 */
export async function readFacts(
  rows: RowReader,
  ids: readonly string[],
  limit = new ReadLimit(ids.length),
): Promise<Map<string, JobFact>> {
  const jobs: JobDocument[] = [];
  const ofJobs = [{ $match: withIds(ids, { type: JOB_TYPE }) }, { $project: JOB_FIELDS }];
  for await (const { size, ...job } of rows.stream<JobDocument & Sized>('documents', ofJobs, SIZED_AT_ONCE)) {
    limit.add(job._id, size);
    jobs.push(countedVessels(job));
  }
  const below = await readBelow(rows, jobs, limit);
  await readFigures(rows, jobs, below);
  const facts = jobs.flatMap((job) => factOf(job, below.get(job._id) ?? []) ?? []);
  return new Map(facts.map((fact) => [fact._id, fact]));
}

type Below = Map<string, CountedReport[]>;

async function readBelow(rows: RowReader, jobs: readonly JobDocument[], limit: ReadLimit): Promise<Below> {
  const type = { $in: [...COUNTED_TYPES] };
  const groups = Map.groupBy(jobs, ({ workspace }) => workspace);
  const clauses = [...groups].map(([workspace, own]) => ({
    workspace,
    parent_id: { $in: own.map(({ _id }) => _id) },
    type,
  }));
  const [first] = clauses;
  const below: Below = new Map();
  if (!first) return below;
  const stages = [{ $match: clauses.length > 1 ? { $or: clauses } : first }, { $project: BELOW_FIELDS }];
  try {
    for await (const row of rows.stream<CountedDocument & Child>('documents', stages, SIZED_AT_ONCE)) {
      const { parent_id, size, ...report } = row;
      limit.add(parent_id, size);
      const reports = below.get(parent_id) ?? [];
      reports.push(report);
      below.set(parent_id, reports);
    }
  } catch (error) {
    if (!(error instanceof TooMuchAtOnce) || limit.jobs > 1) throw error;
    for (const { _id } of jobs) limit.exceededBy(_id);
    return new Map();
  }
  return below;
}

/** Reads the measurements of the reports whose figures are compared: MongoDB takes long to read very many of them. */
async function readFigures(rows: RowReader, jobs: readonly JobDocument[], below: Below): Promise<void> {
  const compared = new Map<string, CountedReport>();
  for (const job of jobs) {
    const { load, outturn } = comparedReports(job, below.get(job._id) ?? []);
    if (load && outturn) for (const report of [load, outturn]) compared.set(report._id, report);
  }
  if (compared.size === 0) return;
  const stages = [{ $match: withIds([...compared.keys()]) }, { $project: MEASURED }];
  for await (const { _id, measurements } of rows.stream<Measured>('documents', stages)) {
    const report = compared.get(_id);
    if (report) report.figures = figuresOf(measurements);
  }
}

interface Sized {
  /** Its bytes as BSON. */
  readonly size: number;
}

interface Child extends Sized {
  readonly parent_id: string;
}

interface Measured {
  readonly _id: string;
  readonly measurements?: Json;
}

/** A filter for documents by id; ids are texts. */
export const withIds = (ids: readonly string[], more: Filter<Document> = {}): Filter<Document> => ({
  ...more,
  _id: { $in: [...ids] as never },
});
