import { type ClientSession, type Collection, type Db, MongoClient } from 'mongodb';
import { v7 } from 'uuid';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import type {
  StoredCatalogRecord,
  StoredDocument,
  StoredSynonym,
  StoredWorkspace,
} from '../../src/model/entity/entity.ts';
import { storedParts } from '../../src/model/fields/text-parts.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { StoredKey } from '../../src/store/access/principals.ts';
import { referencesOf, withRecordIds } from './job-references.ts';
import { checkJob, type JobBody } from './job-validation.ts';

export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A job with all results reported for it. */
export type ReportedJob = StoredDocument & { readonly results: readonly StoredDocument[] };

/** The same data through ordinary driver calls, as few as the rules allow. */
export class Jobs {
  readonly db: Db;
  readonly principals: Collection<StoredKey>;
  readonly #workspaces: Collection<StoredWorkspace>;
  readonly #documents: Collection<StoredDocument>;
  readonly #records: Collection<StoredCatalogRecord>;
  readonly #synonyms: Collection<StoredSynonym>;

  constructor(db: Db) {
    this.db = db;
    this.principals = db.collection('principals');
    this.#workspaces = db.collection('workspaces');
    this.#documents = db.collection('documents');
    this.#records = db.collection('catalog_records');
    this.#synonyms = db.collection('synonyms');
  }

  /** One document; only if there is none, a second query distinguishes a foreign workspace from a missing one. */
  async get(tenant: string, { workspace, id }: { workspace: string; id: string }): Promise<StoredDocument> {
    const found = await this.#documents.findOne({ _id: id, workspace, readers: tenant });
    if (found) return found;
    await this.workspace(tenant, workspace);
    throw new Refused(404, 'There is no such document.');
  }

  /** The 25 newest after an offset; queries the workspace only if there are none. */
  async newest(
    tenant: string,
    workspace: string,
    {
      offset = 0,
      where = {},
      ...options
    }: { readonly offset?: number; readonly where?: object; readonly projection?: object } = {},
  ): Promise<StoredDocument[]> {
    const found = await this.#documents
      .find({ workspace, type: JOB_TYPE, readers: tenant, ...where }, options)
      .sort({ created_at: -1, _id: 1 })
      .skip(offset)
      .limit(25)
      .toArray();
    if (found.length === 0) await this.workspace(tenant, workspace);
    return found;
  }

  /** The records with these ids that the tenant may see. */
  records(tenant: string, ids: readonly string[], projection?: object): Promise<StoredCatalogRecord[]> {
    return this.#records.find({ _id: { $in: [...ids] }, readers: tenant }, projection ? { projection } : {}).toArray();
  }

  /** The newest complete jobs with everything below them, in one aggregation. */
  async newestReported(tenant: string, workspace: string): Promise<ReportedJob[]> {
    const match = { workspace, type: JOB_TYPE, 'body.status': 'complete', readers: tenant };
    const newest = { created_at: -1, _id: 1 } as const;
    const pipeline = [{ $match: { workspace, readers: tenant } }, { $sort: newest }];
    const results = { from: 'documents', localField: '_id', foreignField: 'parent_id', pipeline, as: 'results' };
    const stages = [{ $match: match }, { $sort: newest }, { $limit: 25 }, { $lookup: results }];
    const found = await this.#documents.aggregate<ReportedJob>(stages).toArray();
    if (found.length === 0) await this.workspace(tenant, workspace);
    return found;
  }

  /** The documents of one type below jobs, newest first. */
  below(tenant: string, workspace: string, jobs: readonly string[], type: string): Promise<StoredDocument[]> {
    return this.#documents
      .find({ workspace, parent_id: { $in: [...jobs] }, type, readers: tenant })
      .sort({ created_at: -1, _id: 1 })
      .toArray();
  }

  /** The links of records, in either direction. */
  links(tenant: string, workspace: string, records: readonly string[]): Promise<StoredSynonym[]> {
    return this.#synonyms.find({ workspace, items: { $in: [...records] }, readers: tenant }).toArray();
  }

  async create(principal: StoredKey, workspace: string, body: JobBody): Promise<StoredDocument> {
    const [job] = await this.#made(principal, workspace, [body]);
    if (!job) throw new Refused(500, 'Nothing was made.');
    await this.#documents.insertOne(job);
    return job;
  }

  async createMany(principal: StoredKey, workspace: string, bodies: readonly JobBody[]): Promise<StoredDocument[]> {
    const jobs = await this.#made(principal, workspace, bodies);
    await this.transaction((session) => this.#documents.insertMany(jobs, { session }));
    return jobs;
  }

  /** All or nothing, as the interface promises for a bulk and for deleting a job with everything below it. */
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
    return this.db.client.withSession((session) => session.withTransaction(work));
  }

  /** Jobs to insert: validated, and with the ids of their records, which one query finds. */
  async #made(principal: StoredKey, workspace: string, bodies: readonly JobBody[]): Promise<StoredDocument[]> {
    const faults = bodies.map(checkJob).find((fault) => fault !== undefined);
    if (faults) throw new Refused(400, faults);
    const { readers, parties } = await this.workspace(principal.tenant, workspace);
    const owner = parties.client.tenant === principal.tenant ? parties.client.id : parties.vendor.id;
    const references = bodies.map(referencesOf);
    const wanted = new Map(references.flat().map(({ catalog, xref }) => [`${catalog} ${xref}`, { catalog, xref }]));
    const records = await this.#records
      .find({ $or: [...wanted.values()].map(({ catalog, xref }) => ({ workspace, xtype: catalog, owner, xref })) })
      .toArray();
    const ids = new Map(records.map(({ _id, xtype, xref }) => [`${xtype} ${xref}`, _id]));
    const [missing] = [...wanted].filter(([key]) => !ids.has(key));
    if (missing) throw new Refused(501, `The record ${missing[0]} would have to be made first.`);
    const now = new Date();
    return bodies.map((body, index) => ({
      _id: v7(),
      workspace,
      type: JOB_TYPE,
      readers,
      version_id: v7(),
      revision: 1,
      parent_id: null,
      created_by: principal._id,
      created_at: now,
      modified_by: principal._id,
      modified_at: now,
      body: { workspace, ...withRecordIds(body, ids) },
      refs: [...new Set(references[index]?.map(({ catalog, xref }) => ids.get(`${catalog} ${xref}`) ?? ''))].sort(),
      keys: { ...(body.eta && { eta: new Date(body.eta) }), ...(body.etc && { etc: new Date(body.etc) }) },
      ...storedParts(JOB_TYPE, body as JsonObject), // for lists filtered by part of a text
    }));
  }

  /** A workspace that the tenant may see. */
  async workspace(tenant: string, id: string): Promise<StoredWorkspace> {
    const workspace = await this.#workspaces.findOne({ _id: id });
    if (!workspace) throw new Refused(404, 'There is no such workspace.');
    if (!workspace.readers.includes(tenant)) throw new Refused(403, 'Your tenant is not a party of this workspace.');
    return workspace;
  }
}

/** Connects as configured in the environment; writes wait for the majority. */
export async function connectJobs(): Promise<Jobs> {
  const client = new MongoClient(String(process.env.MONGODB_URI), { writeConcern: { w: 'majority' }, maxPoolSize: 32 });
  await client.connect();
  return new Jobs(client.db(String(process.env.MONGODB_DATABASE)));
}
