import type { Document, Filter } from 'mongodb';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import type { CountedDocument } from './job-cells.ts';
import { COUNTED_TYPES } from './job-cells.ts';
import { factOf, type JobDocument, type JobFact } from './job-fact.ts';

/** Reads documents of a collection, with some of their fields; all of its reads see the same moment. */
export interface FactReader {
  find<T extends Document>(name: string, filter: Filter<Document>, fields: readonly string[]): Promise<T[]>;
}

const JOB_FIELDS = [
  ...['type', 'workspace', 'readers', 'created_at', 'keys.etc'],
  ...['status', 'activity', 'location', 'vendor', 'cargo.product', 'transports'].map((name) => `body.${name}`),
];
const BELOW_FIELDS = [
  ...['type', 'parent_id', 'created_at', 'keys.start', 'keys.end', 'keys.date'],
  ...['isOffSpec', 'isPassed', 'isPerformed', 'direction', 'portOfLoading'].map((name) => `body.${name}`),
  ...['code', 'name', 'value', 'uom'].map((name) => `body.measurements.${name}`),
];

type Below = CountedDocument & { readonly parent_id: string };

/** What the jobs with these ids add to statistics, by id; jobs that are not there are missing. */
export async function readFacts(reader: FactReader, ids: readonly string[]): Promise<Map<string, JobFact>> {
  const jobs = await reader.find<JobDocument>('documents', withIds(ids, { type: JOB_TYPE }), JOB_FIELDS);
  const groups = Map.groupBy(jobs, ({ workspace }) => workspace);
  const type = { $in: [...COUNTED_TYPES] };
  const clauses = [...groups].map(([workspace, own]) => ({
    workspace,
    parent_id: { $in: own.map(({ _id }) => _id) },
    type,
  }));
  const [only] = clauses;
  const found = only
    ? await reader.find<Below>('documents', clauses.length > 1 ? { $or: clauses } : only, BELOW_FIELDS)
    : [];
  const below = Map.groupBy(found, ({ parent_id }) => parent_id);
  const facts = jobs.flatMap((job) => factOf(job, below.get(job._id) ?? []) ?? []);
  return new Map(facts.map((fact) => [fact._id, fact]));
}

/** The filter of documents by their ids, which are texts. */
export const withIds = (ids: readonly string[], more: Filter<Document> = {}): Filter<Document> => ({
  ...more,
  _id: { $in: [...ids] as never },
});
