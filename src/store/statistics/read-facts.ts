import type { ClientSession, Db, Document, Filter } from 'mongodb';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import {
  COUNTED_TYPES,
  type CountedReport,
  countedReport,
  LONGEST_ID,
  LONGEST_TEXT,
  MEASUREMENTS,
} from './job-cells.ts';
import { countedVessels, factOf, type JobDocument, type JobFact } from './job-fact.ts';

/** Streams the results of aggregations; all of a reader's reads see the same moment. */
export interface RowReader {
  stream<T extends Document>(name: string, stages: readonly Document[]): AsyncIterable<T>;
}

/** Reads in a session, or without one. */
export const rowsOf = (db: Db, session?: ClientSession): RowReader => ({
  stream: (name, stages) =>
    db
      .collection(name)
      .aggregate([...stages], { ...(session && { session }), allowDiskUse: true, batchSize: 5_000 }) as never,
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

const JOB_FIELDS = {
  ...all(['type', 'workspace', 'readers', 'created_at', 'keys.etc', 'body.transports']),
  ...shortAt(LONGEST_TEXT, ['status', 'activity']),
  ...shortAt(LONGEST_ID, ['location', 'vendor', 'cargo.product']),
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
const BELOW_FIELDS = {
  ...all(['type', 'parent_id', 'created_at', 'keys.start', 'keys.end', 'keys.date']),
  ...all(['isOffSpec', 'isPassed', 'isPerformed', 'direction'].map((name) => `body.${name}`)),
  ...shortAt(LONGEST_ID, ['portOfLoading']),
  'body.measurements': { $cond: [{ $isArray: '$body.measurements' }, COUNTED_MEASUREMENTS, '$$REMOVE'] },
};

/**
 * The facts of the jobs with these ids, by id; missing jobs are omitted. Only what counts of each report is held, not the
 * reports themselves, so they take little memory however large they are.
 */
export async function readFacts(rows: RowReader, ids: readonly string[]): Promise<Map<string, JobFact>> {
  const jobs: JobDocument[] = [];
  const ofJobs = [{ $match: withIds(ids, { type: JOB_TYPE }) }, { $project: JOB_FIELDS }];
  for await (const job of rows.stream<JobDocument>('documents', ofJobs)) jobs.push(countedVessels(job));
  const below = await readBelow(rows, jobs);
  const facts = jobs.flatMap((job) => factOf(job, below.get(job._id) ?? []) ?? []);
  return new Map(facts.map((fact) => [fact._id, fact]));
}

async function readBelow(rows: RowReader, jobs: readonly JobDocument[]): Promise<Map<string, CountedReport[]>> {
  const type = { $in: [...COUNTED_TYPES] };
  const groups = Map.groupBy(jobs, ({ workspace }) => workspace);
  const clauses = [...groups].map(([workspace, own]) => ({
    workspace,
    parent_id: { $in: own.map(({ _id }) => _id) },
    type,
  }));
  const [first] = clauses;
  const below = new Map<string, CountedReport[]>();
  if (!first) return below;
  const stages = [{ $match: clauses.length > 1 ? { $or: clauses } : first }, { $project: BELOW_FIELDS }];
  for await (const { parent_id, ...row } of rows.stream<CountedReport & Below>('documents', stages)) {
    const reports = below.get(parent_id) ?? [];
    reports.push(countedReport(row));
    below.set(parent_id, reports);
  }
  return below;
}

interface Below {
  readonly parent_id: string;
}

/** A filter for documents by id; ids are texts. */
export const withIds = (ids: readonly string[], more: Filter<Document> = {}): Filter<Document> => ({
  ...more,
  _id: { $in: [...ids] as never },
});
