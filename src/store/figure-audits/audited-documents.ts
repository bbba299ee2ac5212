import type { Collection, Db } from 'mongodb';
import { JOB_TYPE, VOYAGES } from '../../model/document-types/job.ts';
import { SPECIFICATION_TYPE } from '../../model/document-types/specification.ts';
import type { Entity, StoredCatalogRecord, StoredDocument } from '../../model/entity/entity.ts';
import { newestOfEach, onlyRecords, VESSELS, voyageFilter } from '../entities/record-users.ts';
import type { RecordGroup } from './kept-audits.ts';

/** The jobs and specifications that refer to records, directly or in what was reported for them. */
interface Referring {
  readonly jobs: ReadonlySet<string>;
  readonly specifications: readonly string[];
}

const BATCH = 10_000;

/** Queries for the documents to audit. */
export class AuditedDocuments {
  readonly #documents: Collection<StoredDocument>;
  readonly #records: Collection<StoredCatalogRecord>;

  constructor(db: Db) {
    this.#documents = db.collection('documents', { readConcern: { level: 'majority' } });
    this.#records = db.collection('catalog_records', { readConcern: { level: 'majority' } });
  }

  async referringTo({ workspace, records }: RecordGroup): Promise<Referring> {
    const jobs = new Set<string>();
    const specifications: string[] = [];
    const options = { projection: { type: 1, parent_id: 1 }, batchSize: BATCH } as const;
    for await (const { _id, type, parent_id } of this.#documents.find(
      { workspace, refs: { $in: [...records] } },
      options,
    )) {
      if (type === JOB_TYPE) jobs.add(_id);
      else if (type === SPECIFICATION_TYPE) specifications.push(_id);
      else if (parent_id !== null) jobs.add(parent_id);
    }
    return { jobs, specifications };
  }

  /** The ids of the documents that have a child of one of these types, read from the index alone. */
  async parentsAmong(
    documents: readonly Pick<Entity, 'id' | 'partition'>[],
    types: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (documents.length === 0) return new Set();
    const found = await this.#documents.distinct('parent_id', {
      workspace: { $in: [...new Set(documents.map(({ partition }) => partition))] },
      parent_id: { $in: documents.map(({ id }) => id) },
      type: { $in: [...types] },
    });
    return new Set(found.filter((id) => id !== null));
  }

  /**
   * The newest voyages of each vessel, in a list per kind, with those that may have taken place apart from the others. One
   * command reads all, however many records are one vessel.
   */
  async newestVoyagesOf({ workspace, records }: RecordGroup, limit: number): Promise<string[][]> {
    const asked = VOYAGES.flatMap((kind) => [true, false].map((isDone) => voyageFilter({ kind, isDone })));
    const lists = asked.map((filter, index) => {
      const named = { from: 'documents', field: VESSELS, match: { workspace, ...filter }, only: { _id: 1 } };
      return newestOfEach({ ...named, limit, as: `list${index}` });
    });
    const stages = [...onlyRecords(records), ...lists];
    const vessels = this.#records.aggregate<Record<string, { readonly _id: string }[]>>(stages, { batchSize: BATCH });
    const found = await vessels.toArray();
    return found.flatMap((vessel) => asked.map((_, index) => (vessel[`list${index}`] ?? []).map(({ _id }) => _id)));
  }

  /** The jobs among the documents after an id, in id order, and where the next batch begins; undefined at the end. */
  async jobsAfter(
    id: string | undefined,
    limit: number,
  ): Promise<{ readonly jobs: readonly string[]; readonly last: string; readonly read: number } | undefined> {
    const filter = id === undefined ? {} : { _id: { $gt: id } };
    const options = { projection: { type: 1 }, sort: { _id: 1 }, limit, batchSize: limit + 1 } as const;
    const found = await this.#documents.find(filter, options).toArray();
    const last = found.at(-1)?._id;
    if (last === undefined) return undefined;
    return { jobs: found.flatMap(({ _id, type }) => (type === JOB_TYPE ? _id : [])), last, read: found.length };
  }

  /** The ids that have no document. */
  async missing(ids: readonly string[]): Promise<string[]> {
    const options = { projection: { _id: 1 }, batchSize: ids.length + 1 } as const;
    const there = await this.#documents.find({ _id: { $in: [...ids] } }, options).toArray();
    const present = new Set(there.map(({ _id }) => _id));
    return ids.filter((id) => !present.has(id));
  }
}
