import { v7 } from 'uuid';
import type { Viewer } from '../auth/viewer.ts';
import { type CatalogReference, referencesIn, withIds } from '../domain/catalogs/catalog-reference.ts';
import { newCatalogRecord } from '../domain/catalogs/new-record.ts';
import { type DocumentKind, documentKind } from '../domain/documents/document-kind.ts';
import { firstDocument } from '../domain/documents/new-document.ts';
import type { ClockAndIds } from '../domain/request/clock-and-ids.ts';
import { RequestContext } from '../domain/request/request-context.ts';
import { firstVersion } from '../domain/versions/versions.ts';
import type { WorkspaceAccess } from '../domain/workspaces/workspace-access.ts';
import type {
  StoredCatalogRecord,
  StoredDocument,
  StoredOrganization,
  StoredWorkspace,
} from '../model/entity/entity.ts';
import { organizationType, workspaceType } from '../model/entity/entity-types.ts';
import { organizationKeys } from '../model/entity/organization-keys.ts';
import { type JsonObject, valueAt } from '../model/json.ts';
import type { Stores } from '../store/stores.ts';
import { DEMO_KEYS } from './principals.ts';
import { random } from './random.ts';
import { TRADE_DATE, type Trade } from './trade.ts';
import type { TradeJob, TradeSpecification } from './trade-items.ts';

/** The ids of the demo, the same on every machine. */
export const DEMO_IDS = {
  client: '0190a000-0000-7000-8000-0000000a00c1',
  vendor: '0190a000-0000-7000-8000-0000000a00f1',
  workspaces: [
    '0190a000-0000-7000-8000-0000000b0001',
    '0190a000-0000-7000-8000-0000000b0002',
    '0190a000-0000-7000-8000-0000000b0003',
  ],
} as const;

/** A trade in stored form. */
export interface StoredTrade {
  readonly organizations: readonly StoredOrganization[];
  readonly workspaces: readonly StoredWorkspace[];
  readonly catalogRecords: readonly StoredCatalogRecord[];
  /** The specifications, and the jobs. */
  readonly documents: readonly StoredDocument[];
  /** Their results. */
  readonly results: readonly StoredDocument[];
}

/** The trade as if the two parties had posted it: built by the domain's functions, with fixed ids and times. */
export function storedTrade(stores: Stores, trade: Trade): StoredTrade {
  const clock = new TradeClock(trade.jobs[0]?.createdAt ?? TRADE_DATE);
  const client = new RequestContext(demoViewer('demo-client-key'), stores, { sources: clock });
  const vendor = new RequestContext(demoViewer('demo-vendor-key'), stores, { sources: clock });
  const organizations = [
    storedOrganization(client, DEMO_IDS.client, { body: trade.client, uses: trade.workspaces.length }),
    storedOrganization(vendor, DEMO_IDS.vendor, { body: trade.vendor, uses: trade.workspaces.length }),
  ];
  const workspaces = trade.workspaces.map((body, index) =>
    storedWorkspace(client, DEMO_IDS.workspaces[index] ?? clock.newId(), { body, vendorTenant: vendor.tenant }),
  );
  const shelves = workspaces.map((workspace) => new Shelf(workspace));
  const specifications = trade.specifications.map((one, index) => {
    clock.time = one.createdAt;
    return (shelves[one.workspace] as Shelf).storedDocument(client, one, specificationId(index));
  });
  const documents = trade.jobs.map((job) => {
    clock.time = job.createdAt;
    return (shelves[job.workspace] as Shelf).storedDocument(client, withSpecification(job, trade.specifications));
  });
  const results = trade.results.map(({ job, createdAt, type, body }) => {
    clock.time = createdAt;
    const shelf = shelves[trade.jobs[job]?.workspace ?? 0] as Shelf;
    return shelf.storedDocument(vendor, { type, body: { parent: String(documents[job]?._id), ...body } });
  });
  return {
    organizations,
    workspaces,
    documents: [...specifications, ...documents],
    results,
    catalogRecords: shelves.flatMap(({ records }) => [...records.values()]),
  };
}

const specificationId = (index: number): string =>
  `0190a000-0000-7000-8000-0000000c${String(index + 1).padStart(4, '0')}`;

/** The job with a reference to its product's specification, if its workspace has one. */
function withSpecification(job: TradeJob, specifications: readonly TradeSpecification[]): TradeJob {
  const product = valueAt(job.body, ['cargo', 'product', 'xref']);
  const index = specifications.findIndex((one) => one.workspace === job.workspace && one.product === product);
  return index < 0 ? job : { ...job, body: { ...job.body, specification: specificationId(index) } };
}

/** A clock that is set by hand, and ids generated from it and a seeded random generator. */
class TradeClock implements ClockAndIds {
  time: Date;
  readonly #chance = random(7);

  constructor(time: Date) {
    this.time = time;
  }

  now(): Date {
    return this.time;
  }

  newId(): string {
    return v7({
      msecs: this.time.getTime(),
      random: Uint8Array.from({ length: 16 }, () => this.#chance.whole(0, 255)),
    });
  }
}

/** The principal of a demo key. */
export function demoViewer(key: string): Viewer {
  const found = DEMO_KEYS.find((one) => one.key === key);
  if (!found) throw new Error(`there is no demo key ${key}`);
  const { id, tenant, name, scopes } = found;
  return { id, tenant, name, scopes: new Set(scopes) };
}

function storedOrganization(
  ctx: RequestContext,
  id: string,
  { body, uses }: { readonly body: JsonObject; readonly uses: number },
): StoredOrganization {
  const { tenant } = ctx;
  const whole = { ...body, audience: tenant };
  return {
    ...firstVersion(ctx, { id, type: organizationType.name, workspace: null, readers: [], body: whole }),
    ...organizationKeys(String(body.name)),
    tenant,
    uses,
  };
}

function storedWorkspace(
  ctx: RequestContext,
  id: string,
  { body, vendorTenant }: { readonly body: JsonObject; readonly vendorTenant: string },
): StoredWorkspace {
  const parties = { client: { id: DEMO_IDS.client }, vendor: { id: DEMO_IDS.vendor } };
  const readers = [ctx.tenant, vendorTenant];
  return {
    ...firstVersion(ctx, { id, type: workspaceType.name, workspace: null, readers, body: { ...body, parties } }),
    parties: {
      client: { id: DEMO_IDS.client, tenant: ctx.tenant },
      vendor: { id: DEMO_IDS.vendor, tenant: vendorTenant },
    },
    used_by: readers,
    accepted_by: readers,
    declined_by: [],
  };
}

/** The documents of one workspace, and the catalog records that they refer to. */
class Shelf {
  readonly records = new Map<string, StoredCatalogRecord>();
  readonly #workspace: StoredWorkspace;

  constructor(workspace: StoredWorkspace) {
    this.#workspace = workspace;
  }

  storedDocument(ctx: RequestContext, { type, body }: Pick<TradeJob, 'type' | 'body'>, id?: string): StoredDocument {
    const kind: DocumentKind = documentKind(type);
    const access = this.#accessOf(ctx);
    const ids = new Map(
      referencesIn(kind.references, body).map((catalogReference) => [
        catalogReference,
        this.#recordId(ctx, access, catalogReference),
      ]),
    );
    const whole = { workspace: access.id, ...withIds(body, ids) };
    return firstDocument(ctx, kind, access, { id: id ?? ctx.sources.newId(), body: whole, refs: ids.values() });
  }

  #accessOf({ tenant }: RequestContext): WorkspaceAccess {
    const { _id, readers, parties } = this.#workspace;
    const { client, vendor } = parties;
    const owner = tenant === client.tenant ? client.id : vendor.id;
    return { id: _id, readers, owner, parties: [client.id, vendor.id] };
  }

  #recordId(ctx: RequestContext, access: WorkspaceAccess, catalogReference: CatalogReference): string {
    const key = `${catalogReference.catalog} ${catalogReference.xref}`;
    const record = this.records.get(key) ?? newCatalogRecord(ctx, access, catalogReference);
    this.records.set(key, record);
    return record._id;
  }
}
