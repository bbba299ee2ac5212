import { invalidInput, VIOLATIONS_SOUGHT, type Violation } from '../../errors.ts';
import { nameKey } from '../../model/catalogs.ts';
import type { Entity, StoredCatalogRecord } from '../../model/entity/entity.ts';
import { pointer } from '../../model/json.ts';
import type { RecordKey } from '../../store/entities/record-search.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { WorkspaceAccess } from '../workspaces/workspace-access.ts';
import { type CatalogReference, keyOf } from './catalog-reference.ts';
import { mayTakeXref, newCatalogRecord, takesXref } from './new-record.ts';

/** Resolved references: their record ids by place, and the records to write first. */
export interface Resolution {
  readonly ids: ReadonlyMap<CatalogReference, string>;
  readonly created: readonly StoredCatalogRecord[];
  readonly changed: readonly { readonly before: Entity; readonly after: StoredCatalogRecord }[];
}

/**
 * Finds the record of each reference or prepares a new one (contract §6): an id must exist; an object is matched by its xref among the
 * records of the caller's party, then by its name in the workspace, and otherwise becomes a new record.
 */
export async function resolve(
  ctx: RequestContext,
  access: WorkspaceAccess,
  catalogReferences: readonly CatalogReference[],
  found: Promise<readonly Entity[]> | undefined = undefined,
): Promise<Resolution> {
  const known = new KnownRecords(access.owner, await (found ?? candidates(ctx, access, catalogReferences)));
  const ids = new Map<CatalogReference, string>();
  const created: StoredCatalogRecord[] = [];
  const changed = new Map<string, { before: Entity; after: StoredCatalogRecord }>();
  const violations: Violation[] = [];
  for (const catalogReference of catalogReferences) {
    const match = known.match(catalogReference);
    if (match) {
      ids.set(catalogReference, match.id);
      const after = takesXref(ctx, access, match.entity, catalogReference.xref);
      if (match.entity && after && !changed.has(match.id)) {
        changed.set(match.id, { before: match.entity, after });
        known.add(after);
      }
    } else if (catalogReference.id !== undefined) {
      if (violations.length >= VIOLATIONS_SOUGHT) break;
      violations.push({
        path: pointer(catalogReference.place),
        message: `${catalogReference.id} is not a record of the catalog ${catalogReference.catalog} in this workspace.`,
      });
    } else {
      const record = newCatalogRecord(ctx, access, catalogReference);
      created.push(record);
      known.add(record);
      ids.set(catalogReference, record._id);
    }
  }
  if (violations.length > 0) throw invalidInput(violations);
  return { ids, created, changed: [...changed.values()] };
}

/**
 * The records that references mean now, of those that they meant before; undefined for each that means another one by now, or that
 * would create or change a record.
 */
export async function recordsMeant(
  ctx: RequestContext,
  access: WorkspaceAccess,
  before: Resolution['ids'],
): Promise<(Entity | undefined)[]> {
  const known = new KnownRecords(access.owner, await candidates(ctx, access, [...before.keys()]));
  return [...before].map(([reference, id]) => {
    const entity = known.match(reference)?.entity;
    if (entity?.id !== id || (reference.xref !== undefined && mayTakeXref(access, entity))) return undefined;
    return entity;
  });
}

/**
 * All records of the workspace that any of the references may match, for `resolve`. Names are queried only for references without an
 * xref, or with one that no record of the caller's party has.
 */
export async function candidates(
  ctx: RequestContext,
  { id: workspace, owner }: WorkspaceAccess,
  catalogReferences: readonly CatalogReference[],
  tx?: Transaction,
): Promise<readonly Entity[]> {
  const different = [
    ...new Map(catalogReferences.map((catalogReference) => [keyOf(catalogReference), catalogReference])).values(),
  ];
  checkNumber(different);
  const byName = ({ catalog: xtype, xref, name }: CatalogReference): RecordKey => {
    return { workspace, xtype, nameKey: nameKey(name ?? xref ?? '') };
  };
  const search = async (keys: readonly RecordKey[]) => {
    if (keys.length === 0) return [];
    const found = await ctx.writeStores().recordSearch.find(keys, tx);
    return found.filter((record) => record.workspaceId === workspace);
  };
  const found = await search(
    different.map((catalogReference): RecordKey => {
      const { catalog: xtype, id, xref } = catalogReference;
      if (id !== undefined) return { id };
      return xref === undefined ? byName(catalogReference) : { workspace, xtype, owner, xref };
    }),
  );
  const own = found.filter((record) => record.stored('owner') === owner);
  const known = new Set(own.map((record) => `${record.stored('xtype')} ${record.stored('xref')}`));
  const unknown = different.filter(({ catalog, xref }) => xref !== undefined && !known.has(`${catalog} ${xref}`));
  return [...found, ...(await search(unknown.map(byName)))];
}

/** The maximum number of references in a request that one query can look up. */
const MAX_DIFFERENT = 20_000;
const MAX_CHARACTERS = 2_000_000;

function checkNumber(different: readonly CatalogReference[]): void {
  if (different.length > MAX_DIFFERENT) {
    const message = `refers to ${different.length} different catalog records; at most ${MAX_DIFFERENT} are allowed.`;
    throw invalidInput([{ path: '', message }]);
  }
  let characters = 0;
  for (const { xref = '', name = '' } of different) characters += xref.length + name.length;
  if (characters <= MAX_CHARACTERS) return;
  const message = `has references whose names and xrefs are too long: together they may have ${MAX_CHARACTERS} characters.`;
  throw invalidInput([{ path: '', message }]);
}

interface Match {
  readonly id: string;
  /** Undefined for a record that this request creates. */
  readonly entity: Entity | undefined;
}

/** Records indexed by id, xref and name; among equal names, those of the caller's party and older ones win. */
class KnownRecords {
  readonly #owner: string;
  readonly #byId = new Map<string, Match>();
  readonly #byXref = new Map<string, Match>();
  readonly #byName = new Map<string, Match>();

  constructor(owner: string, records: readonly Entity[]) {
    this.#owner = owner;
    const placed = records.map((entity) => {
      const rank = entity.stored('owner') === owner ? 0 : 1;
      return { id: entity.id, entity, rank, at: entity.createdAt.getTime() };
    });
    placed.sort((a, b) => a.rank - b.rank || a.at - b.at || (a.id < b.id ? -1 : 1));
    for (const { id, entity } of placed) this.#index({ id, entity }, (path) => entity.stored(path));
  }

  add(record: StoredCatalogRecord): void {
    const known = this.#byId.get(`${record.xtype} ${record._id}`);
    this.#index(known ?? { id: record._id, entity: undefined }, (path) => record[path as keyof StoredCatalogRecord]);
  }

  match({ catalog, id, xref, name }: CatalogReference): Match | undefined {
    if (id !== undefined) return this.#byId.get(`${catalog} ${id}`);
    const byXref = xref === undefined ? undefined : this.#byXref.get(`${catalog} ${xref}`);
    return byXref ?? this.#byName.get(`${catalog} ${nameKey(name ?? xref ?? '')}`);
  }

  #index(match: Match, stored: (path: string) => unknown): void {
    const xtype = stored('xtype');
    setIfAbsent(this.#byId, `${xtype} ${match.id}`, match);
    setIfAbsent(this.#byName, `${xtype} ${stored('name_key')}`, match);
    if (stored('xref') !== undefined && stored('owner') === this.#owner) {
      setIfAbsent(this.#byXref, `${xtype} ${stored('xref')}`, match);
    }
  }
}

function setIfAbsent<T>(map: Map<string, T>, key: string, value: T): void {
  if (!map.has(key)) map.set(key, value);
}
