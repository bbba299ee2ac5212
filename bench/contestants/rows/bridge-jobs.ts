import express, { type Express } from 'express';
import { nameKey } from '../../../src/model/catalogs.ts';
import { JOB_TYPE } from '../../../src/model/document-types/job.ts';
import type {
  StoredCatalogRecord,
  StoredDocument,
  StoredOrganization,
  StoredWorkspace,
} from '../../../src/model/entity/entity.ts';
import { envelopeOf, principalOf } from '../express-base.ts';
import type { JobBody, Named } from '../job-validation.ts';
import { type Jobs, Refused } from '../jobs.ts';

/** The type name in lists of the demo environment. */
const LISTED_TYPE = 'svc.nim.job';

type Records = ReadonlyMap<string, StoredCatalogRecord>;

interface ShapeB {
  readonly workspace?: string;
  readonly client: Named;
  readonly vendor: Named;
  readonly cargo: { readonly product: Named; readonly quantity: { readonly value: number; readonly uom: Named } };
}

/** Jobs of the Data API: placed in a workspace by their parties, and shown with their records in place. */
export function addBridgeJobs(app: Express, jobs: Jobs): void {
  const documents = jobs.db.collection<StoredDocument>('documents');
  const organizations = jobs.db.collection<StoredOrganization>('organizations');
  const workspaces = jobs.db.collection<StoredWorkspace>('workspaces');

  const recordsOf = async (tenant: string, found: readonly StoredDocument[]): Promise<Records> => {
    const ids = [...new Set(found.flatMap(({ refs = [] }) => refs))];
    const records = await jobs.records(tenant, ids, { 'body.name': 1, 'body.xref': 1 });
    return new Map(records.map((record) => [record._id, record]));
  };

  app.get('/bridge/v1/data/jobs', async ({ query }, response) => {
    const { tenant } = principalOf(response);
    const found = await documents
      .find({ type: JOB_TYPE, readers: tenant })
      .sort({ created_at: -1, _id: 1 })
      .skip(Number(query.offset ?? 0))
      .limit(Number(query.limit))
      .toArray();
    const records = await recordsOf(tenant, found);
    const shown = found.map((job) => ({ ...envelopeOf(job), type: LISTED_TYPE, body: shownBody(job, records) }));
    response.set({ 'Cache-Control': 'private, no-cache' }).json(shown);
  });

  app.post('/bridge/v1/data/jobs', express.json({ limit: '32mb' }), async (request, response) => {
    const principal = principalOf(response);
    const { workspace: named, cargo, ...sent } = request.body as ShapeB;
    const keys = [sent.client, sent.vendor].map(({ name }) => nameKey(name));
    const parties = await organizations.find({ name_key: { $in: keys } }, { projection: { name_key: 1 } }).toArray();
    const [client, vendor] = keys.map((key) => parties.find(({ name_key }) => name_key === key)?._id ?? '');
    const matching = await workspaces
      .find({ accepted_by: principal.tenant, 'body.parties.client.id': client, 'body.parties.vendor.id': vendor })
      .toArray();
    const workspace = matching.length === 1 ? matching[0] : matching.find(({ _id }) => _id === named);
    if (!workspace) throw new Refused(501, 'The job would have to be stored without a workspace.');
    const { product, quantity } = cargo;
    const body = { ...sent, cargo: { product, quantity: quantity.value, uom: quantity.uom } } as JobBody;
    const job = await jobs.create(principal, workspace._id, body);
    const records = await recordsOf(principal.tenant, [job]);
    response
      .status(201)
      .set({ ETag: `"${job.version_id}"` })
      .json({ ...envelopeOf(job), body: shownBody(job, records) });
  });
}

interface StoredBody {
  readonly location?: string;
  readonly transports?: readonly string[];
  readonly cargo?: { readonly product?: string; readonly quantity?: number; readonly uom?: string };
  readonly vendor?: string;
  readonly client?: string;
}

function shownBody({ body }: StoredDocument, records: Records): object {
  const { workspace: _own, ...members } = body;
  const { location, transports, cargo, vendor, client } = body as StoredBody;
  const shown = (id: string | undefined) => {
    const record = id === undefined ? undefined : records.get(id)?.body;
    return record ? { id, xref: record.xref, name: record.name } : id;
  };
  return {
    ...members,
    ...(location && { location: shown(location) }),
    ...(transports && { transports: transports.map(shown) }),
    ...(cargo && {
      cargo: { product: shown(cargo.product), quantity: { value: cargo.quantity, uom: shown(cargo.uom) } },
    }),
    ...(vendor && { vendor: shown(vendor) }),
    ...(client && { client: shown(client) }),
  };
}
