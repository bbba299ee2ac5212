import { invalidInput, notFound } from '../../errors.ts';
import { canonicalCatalog } from '../../model/catalogs.ts';
import type { Entity, PlacedEntity, StoredSynonym } from '../../model/entity/entity.ts';
import { synonymType } from '../../model/entity/entity-types.ts';
import { fieldsOf } from '../../model/fields/fields.ts';
import { whereTableOf } from '../../model/fields/where-table.ts';
import { duplicateKeyIndex } from '../../store/duplicate-key.ts';
import { WrittenEntity } from '../../store/entities/read-entity.ts';
import { UNIQUE } from '../../store/indexes/indexes.ts';
import type { Stores } from '../../store/stores.ts';
import { BeingDeleted } from '../deletion/deletion-guard.ts';
import { eraseLeftBehind } from '../deletion/erase-left-behind.ts';
import { eraseTraced } from '../deletion/erase-traced.ts';
import { type ListRequest, refuseLong } from '../lists/list-request.ts';
import { checkPage, type Page, readPage } from '../lists/page.ts';
import type { RequestContext } from '../request/request-context.ts';
import {
  checkVersion,
  type Expectation,
  firstVersion,
  notAgain,
  retryOnConflict,
  undoInsert,
} from '../versions/versions.ts';
import {
  accessForWriting,
  accessTo,
  fateOfRecords,
  fateOfWorkspace,
  refusedBy,
  type WorkspaceAccess,
} from '../workspaces/workspace-access.ts';
import { CatalogRecords, catalogNamed, checkCatalogFilter, inCatalog } from './catalog-records.ts';
import { checkJoined, MOST_SYNONYMS, tooManySynonyms } from './synonym-bound.ts';
import { groupsIn, type LinkReads, Links, type SynonymGroup } from './synonym-groups.ts';

const fields = fieldsOf(synonymType.schema);
const where = whereTableOf(synonymType);

/** The most links of workspaces read in one query: some 10 MB. */
const MOST_PAIRS = 100_000;

/** The links of some catalogs, or of one record. */
export interface SynonymListRequest extends ListRequest {
  readonly catalog?: string | null | undefined;
  readonly catalogs?: readonly string[] | null | undefined;
  readonly record?: string | null | undefined;
}

/** A pair of records of one catalog, in either order. */
interface SynonymPlace {
  readonly workspace: string;
  readonly catalog: string;
  readonly record: string;
  readonly synonym: string;
}

/** A link, and whether this request created it. */
export interface LinkedSynonym {
  readonly synonym: Entity;
  readonly created: boolean;
}

/** Links between records that describe the same item (interface, "Synonym"; contract §6). */
export class Synonyms {
  readonly #ctx: RequestContext;
  readonly #records: CatalogRecords;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
    this.#records = new CatalogRecords(ctx);
  }

  /** Throws INVALID_INPUT for invalid list arguments. */
  checkList(request: SynonymListRequest): void {
    checkCatalogs(request);
    checkPage({ fields, where }, request);
  }

  /** The links of a workspace, of some of its catalogs, or of one record. */
  async list(request: SynonymListRequest & Pick<SynonymPlace, 'workspace'>): Promise<Page> {
    const { workspace, catalog, catalogs, record } = request;
    checkCatalogs(request);
    const stores = this.#ctx.readStores();
    const scope = {
      workspace,
      ...inCatalog(catalog),
      ...(record && { items: record }),
      readers: this.#ctx.tenant,
    };
    const among = catalogs && { conditions: [{ stored: 'xtype', anyOf: catalogs.map(canonicalCatalog) }] };
    const page = await readPage(this.#ctx, { collection: stores.synonyms, fields, where, scope, ...among }, request);
    // A link in the list proves access to the workspace and record; if the list is empty, both are checked.
    if (page.nodes.length === 0) await accessTo(this.#ctx, stores, workspace);
    if (page.nodes.length === 0 && record) await this.#records.get({ workspace, catalog, id: record });
    return page;
  }

  /** The link between two records; NOT_FOUND if there is none. */
  async get(place: SynonymPlace): Promise<Entity> {
    return this.#find(this.#ctx.readStores(), place);
  }

  async #find(stores: Stores, place: SynonymPlace): Promise<Entity> {
    const { stored } = this.#pair(place);
    const found = await stores.synonyms.findOne({ ...stored, readers: this.#ctx.tenant });
    if (found) return found;
    await this.#bothRecords(stores, place);
    throw notFound(`synonym of ${place.record}`, place.synonym);
  }

  /** The second record of a linked pair; NOT_FOUND if they are not linked. */
  async linkedRecord(place: SynonymPlace): Promise<Entity> {
    return this.#linkedRecord(this.#ctx.readStores(), place);
  }

  async #linkedRecord(stores: Stores, place: SynonymPlace): Promise<Entity> {
    await this.#find(stores, place);
    return this.#records.find(stores, { ...place, id: place.synonym });
  }

  /** Links two records; returns the existing link, in either direction, if any. CONFLICT if too many records would be synonyms. */
  async link(place: SynonymPlace): Promise<LinkedSynonym> {
    const ctx = this.#ctx;
    const { workspace, record, synonym } = place;
    if (record === synonym) {
      throw invalidInput([
        { parameter: 'synonym', message: 'must be another record: a record cannot be its own synonym.' },
      ]);
    }
    const access = await accessForWriting(ctx, workspace);
    const id = ctx.sources.newId();
    return retryOnConflict(ctx, this.#pair(place).stored.pair, async () => {
      const stores = ctx.writeStores();
      const [base] = await this.#bothRecords(stores, place);
      const made = this.#firstSynonym(id, place, access, String(base.stored('xtype')));
      const isJoining = await this.#checkGroups(stores, made);
      const insert = () => stores.synonyms.insert(made).catch(isExistingLink);
      const taken = await notAgain(ctx, { collection: stores.synonyms, ids: [id] }, insert);
      const there = taken ? await this.#found(place, id) : new WrittenEntity(made);
      if (isJoining && there?.id === id) await this.#checkJoined(stores, made);
      return there && (await this.#stays(there, made)) ? { synonym: there, created: there.id === id } : undefined;
    });
  }

  /** Removes a link and returns it. */
  async unlink(place: SynonymPlace, expectation: Expectation = {}): Promise<Entity> {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    return retryOnConflict(ctx, this.#pair(place).stored.pair, async () => {
      const before = await this.#find(stores, place);
      checkVersion(before, expectation);
      const link = { collection: stores.synonyms, match: { _id: before.id } };
      const erased = await stores.transaction((tx) => eraseTraced(stores, link, ctx.deletionIn(tx)));
      return erased.length === 1 ? before : undefined;
    });
  }

  /** Removes a link and returns the second record; the precondition may name the record's version instead of the link's. */
  async unlinkRecord(place: SynonymPlace, { expectedVersion }: Expectation = {}): Promise<Entity> {
    const record = await this.#linkedRecord(this.#ctx.writeStores(), place);
    await this.unlink(place, expectedVersion?.includes(record.versionId) ? {} : { expectedVersion });
    return record;
  }

  /** The ids of the records linked to each record, newest link first. */
  async linkedTo(records: readonly PlacedEntity[]): Promise<string[][]> {
    const ids = records.map(({ id }) => id);
    const links = new Links(await this.#linksAmong(records).of(ids));
    return ids.map((id) => links.of(id));
  }

  /** The ids of all records connected to each record, including itself; takes few queries, however far the links lead. */
  async groupsOf(records: readonly PlacedEntity[]): Promise<(readonly string[])[]> {
    return (await this.linkedGroupsOf(records)).map(({ ids }) => ids);
  }

  /** Like `groupsOf`, with the directly linked records as in `linkedTo`. */
  async linkedGroupsOf(records: readonly PlacedEntity[]): Promise<SynonymGroup[]> {
    return groupsIn(
      records.map(({ id }) => id),
      this.#linksAmong(records),
    );
  }

  /** Reads links in the workspaces of the given records. */
  #linksAmong(records: readonly PlacedEntity[]): LinkReads {
    const workspaces = [...new Set(records.map(({ workspaceId }) => workspaceId))];
    return this.#linksIn(workspaces, () => this.#ctx.readStores());
  }

  #linksIn(workspace: readonly (string | null)[], stores: () => Stores): LinkReads {
    const readers = this.#ctx.tenant;
    return {
      of: (items) => stores().synonyms.findMany({ workspace, items, readers }),
      // Whoever may read one link of a workspace may read them all.
      pairsAround: (links) =>
        stores().synonyms.pairs([...new Set(links.map(({ workspaceId }) => workspaceId ?? ''))], MOST_PAIRS),
    };
  }

  /** The link that already exists, from an earlier attempt or another request; undefined if it has since been removed. */
  async #found(place: SynonymPlace, id: string): Promise<Entity | undefined> {
    const { synonyms } = this.#ctx.writeStores();
    const there = await synonyms.findOne(this.#pair(place).stored);
    const { attempt } = this.#ctx.sources;
    if (there?.id === id && attempt !== undefined) return synonyms.adopt(id, attempt);
    return there && synonyms.confirm(there);
  }

  /** Whether a link merges two groups, which concurrent links may do too; throws CONFLICT if it would exceed the group's limit. */
  async #checkGroups(stores: Stores, { workspace, xtype, items }: StoredSynonym): Promise<boolean> {
    const few = MOST_SYNONYMS / 2; // too few records for the limit, even with hundreds of concurrent links
    if (!(await stores.synonyms.areAtLeast(few, { workspace, xtype }))) return false;
    const groups = await this.#groupsOf(stores, workspace, items);
    return !groups[0]?.linked.includes(items[1]) && checkJoined(groups);
  }

  /** Repeats the check after the insert: of concurrent links, the last one sees all others. Removes the link if the group is too large. */
  async #checkJoined(
    stores: Stores,
    { _id: id, version_id: versionId, workspace, items }: StoredSynonym,
  ): Promise<void> {
    const [group] = await this.#groupsOf(stores, workspace, [items[0]]);
    if (!group || group.ids.length <= MOST_SYNONYMS) return;
    await undoInsert(this.#ctx, stores.synonyms, { id, versionId });
    throw tooManySynonyms(group.ids.length);
  }

  #groupsOf(stores: Stores, workspace: string | null, ids: readonly string[]): Promise<SynonymGroup[]> {
    return groupsIn(
      ids,
      this.#linksIn([workspace], () => stores),
    );
  }

  /** The check after the insert: false if a record was deleted or moved; the request that created the link has then removed it. */
  async #stays(there: Entity, made: StoredSynonym): Promise<boolean> {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    const workspace = String(made.workspace);
    const [workspaceFate, records] = await Promise.all([
      fateOfWorkspace(ctx, workspace),
      fateOfRecords(ctx, new Map(made.items.map((id) => [id, made.xtype]))),
    ]);
    if (workspaceFate === 'stays' && records === 'stays') return true;
    if (workspaceFate === 'gone') await eraseLeftBehind(stores, workspace);
    else if (there.id === made._id) await undoInsert(ctx, stores.synonyms, there);
    if (workspaceFate !== 'stays') throw refusedBy(workspaceFate, workspace);
    if (records === 'undecided') throw new BeingDeleted('A record of the pair is being deleted.');
    return false;
  }

  async #bothRecords(
    stores: Stores,
    { workspace, catalog, record, synonym }: SynonymPlace,
  ): Promise<readonly [Entity, Entity]> {
    return Promise.all([
      this.#records.find(stores, { workspace, catalog, id: record }),
      this.#records.find(stores, { workspace, catalog, id: synonym }),
    ]);
  }

  #pair({ workspace, catalog, record, synonym }: SynonymPlace) {
    const items: readonly [string, string] = record < synonym ? [record, synonym] : [synonym, record];
    return { items, stored: { workspace, xtype: catalogNamed(catalog), pair: items.join(' ') } };
  }

  #firstSynonym(
    id: string,
    place: SynonymPlace,
    { id: workspace, readers }: WorkspaceAccess,
    xtype: string,
  ): StoredSynonym {
    const { items, stored } = this.#pair(place);
    const body = { workspace, baseItem: place.record, linkedItem: place.synonym };
    return {
      ...firstVersion(this.#ctx, { id, type: synonymType.name, workspace, readers, body }),
      xtype,
      items,
      pair: stored.pair,
    };
  }
}

/** True if the error means that the link already exists; rethrows any other. */
function isExistingLink(error: unknown): true {
  const index = duplicateKeyIndex(error);
  if (index === UNIQUE.synonymPair || index === '_id_') return true;
  throw error;
}

function checkCatalogs({ catalog, catalogs, record }: SynonymListRequest): void {
  refuseLong({ catalogs });
  if (catalog && !record) checkCatalogFilter('catalog', catalog);
  for (const name of catalogs ?? []) checkCatalogFilter('catalogs', name);
}
