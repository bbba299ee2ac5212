import type { Express } from 'express';
import { nameKey } from '../../../src/model/catalogs.ts';
import { JOB_TYPE } from '../../../src/model/document-types/job.ts';
import { QUALITY_RESULT_TYPE } from '../../../src/model/document-types/quality-result.ts';
import type { StoredCatalogRecord, StoredDocument, StoredReferenceRecord } from '../../../src/model/entity/entity.ts';
import { portType } from '../../../src/model/reference-data/reference-types.ts';
import { principalOf } from '../express-base.ts';
import type { Jobs } from '../jobs.ts';

const PAGE = 25;
const UNCHANGED = { 'Cache-Control': 'private, no-cache' };

/** Lists of results and of ports. */
export function addFurtherReads(app: Express, jobs: Jobs): void {
  const ports = jobs.db.collection<StoredReferenceRecord>('reference_records');

  app.get('/workspaces/:workspace/jobs/:id/quality', async ({ params }, response) => {
    const { tenant } = principalOf(response);
    const found = await jobs.below(tenant, params.workspace, [params.id], QUALITY_RESULT_TYPE);
    if (found.length === 0) await jobs.get(tenant, params);
    response.set(UNCHANGED).json(found.map(({ _id, body }) => ({ id: _id, body })));
  });

  app.get('/api/rest/1.0/ports', async ({ query }, response) => {
    const filter = { tenant: principalOf(response).tenant, type: portType.name };
    const skipped = (Number(query.page ?? 1) - 1) * PAGE;
    const [found, total] = await Promise.all([
      ports.find(filter).sort({ code: 1 }).skip(skipped).limit(PAGE).toArray(),
      ports.countDocuments(filter),
    ]);
    const results = found.map(({ code, body, created_at, creator, modified_at, modifier }) => ({
      ...{ clientCode: code, ...body, dateCreated: created_at, creator, dateModified: modified_at, modifier },
    }));
    const place = { totalResultsAvailable: total, firstResultPosition: skipped + 1, resultsPerPage: PAGE };
    response.set(UNCHANGED).json({ ...place, results });
  });
}

type Answer = (tenant: string, variables: Readonly<Record<string, string>>) => Promise<object>;

/** GraphQL operations by their names, answered by hand. */
export function furtherQueries(jobs: Jobs): ReadonlyMap<string, Answer> {
  const documents = jobs.db.collection<StoredDocument>('documents');
  const records = jobs.db.collection<StoredCatalogRecord>('catalog_records');

  const atLocation: Answer = async (tenant, { workspace = '', location = '' }) => {
    const named = {
      workspace,
      xtype: 'locations',
      name_key: nameKey(location),
      'body.name': location,
      readers: tenant,
    };
    const found = await records.find(named, { projection: { 'body.name': 1 } }).toArray();
    const names = new Map(found.map(({ _id, body }) => [_id, body.name]));
    const ids = [...names.keys()];
    const rows = await documents
      .find({ workspace, type: JOB_TYPE, refs: { $in: ids }, 'body.location': { $in: ids }, readers: tenant })
      .project<Pick<StoredDocument, '_id' | 'body'>>({
        ...{ 'body.refNumber': 1, 'body.status': 1, 'body.eta': 1, 'body.location': 1 },
      })
      .sort({ created_at: -1, _id: 1 })
      .limit(PAGE)
      .toArray();
    if (rows.length === 0) await jobs.workspace(tenant, workspace);
    const nodes = rows.map(({ _id, body: { refNumber = null, status = null, eta = null, location: record } }) => ({
      ...{ id: _id, refNumber, status, eta, location: { name: names.get(String(record)) ?? null } },
    }));
    return { jobs: { nodes } };
  };

  /** All jobs are within the period, so their results need no join. */
  const figures: Answer = async (tenant, { workspace = '' }) => {
    await jobs.workspace(tenant, workspace);
    const byState = { _id: { status: '$body.status', activity: '$body.activity' }, jobs: { $sum: 1 } };
    const isKnown = (field: string) => ({ $eq: [{ $type: `$body.${field}` }, 'bool'] });
    const isJudged = { $or: [isKnown('isOffSpec'), isKnown('isPassed')] };
    const isFailed = { $and: [{ $eq: ['$body.isPassed', false] }, { $ne: ['$body.isOffSpec', false] }] };
    const isOff = { $or: [{ $eq: ['$body.isOffSpec', true] }, isFailed] };
    const counted = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
    const verdicts = { _id: null, results: { $sum: 1 }, judged: counted(isJudged), offSpecification: counted(isOff) };
    const [states, [found]] = await Promise.all([
      documents.aggregate([{ $match: { workspace, type: JOB_TYPE } }, { $group: byState }]).toArray(),
      documents
        .aggregate([
          { $match: { workspace, type: QUALITY_RESULT_TYPE, 'body.isPerformed': { $ne: false } } },
          { $group: verdicts },
        ])
        .toArray(),
    ]);
    const counts = states
      .map(({ _id: { status = null, activity = null }, jobs: count }) => ({ status, activity, jobs: count as number }))
      .sort((a, b) => b.jobs - a.jobs || `${a.status} ${a.activity}`.localeCompare(`${b.status} ${b.activity}`));
    const { results = 0, judged = 0, offSpecification = 0 } = found ?? {};
    const percent = judged === 0 ? null : Math.round((offSpecification / judged) * 1e6) / 1e4;
    const total = { results, judged, offSpecification, percent };
    return { workspace: { statistics: { jobs: counts, offSpecification: { total } } } };
  };

  return new Map([
    ['AtLocation', atLocation],
    ['Figures', figures],
  ]);
}
