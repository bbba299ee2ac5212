import { invalidInput, type ServiceError, throwIfInvalid, VIOLATIONS_SOUGHT, type Violation } from '../../errors.ts';
import type { Entity, StoredCatalogRecord } from '../../model/entity/entity.ts';
import { pointer } from '../../model/json.ts';
import type { RecordKey } from '../../store/entities/record-search.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { WorkspaceAccess } from '../workspaces/workspace-access.ts';
import { type CatalogReference, keyOf, nameKeyOf } from './catalog-reference.ts';
import { type AddedXref, type KnownRecord, KnownRecords } from './known-records.ts';
import { mayTakeXref, newCatalogRecord, withXref } from './new-record.ts';

/** Resolved references: the record id of each, and the records to create or give an xref first. */
export interface Resolution {
  readonly ids: ReadonlyMap<CatalogReference, string>;
  readonly created: readonly StoredCatalogRecord[];
  readonly changed: readonly AddedXref[];
}

/**
 * Finds the record of each reference or prepares a new one (contract §6): an id must exist; an object is matched by its xref among the
 * records of the caller's party, then by its name, if any, in the workspace, and otherwise becomes a new record. References to the same
 * new record match each other by name and xref, as if they came in successive requests.
 */
export async function resolve(
  ctx: RequestContext,
  access: WorkspaceAccess,
  catalogReferences: readonly CatalogReference[],
  found: Promise<readonly Entity[]> | undefined = undefined,
): Promise<Resolution> {
  const known = new KnownRecords(access.owner, await (found ?? candidates(ctx, access, catalogReferences)));
  const ids = new Map<CatalogReference, string>();
  const violations: Violation[] = [];
  for (const catalogReference of catalogReferences) {
    const match = known.match(catalogReference);
    if (match) {
      ids.set(catalogReference, match.id);
      if (catalogReference.xref !== undefined) addXref(known, access, match, catalogReference.xref);
    } else if (catalogReference.id !== undefined) {
      if (violations.length >= VIOLATIONS_SOUGHT) break;
      violations.push(unknownRecord(catalogReference));
    } else {
      const record = newCatalogRecord(ctx, access, catalogReference);
      known.create(record);
      ids.set(catalogReference, record._id);
    }
  }
  throwIfInvalid(violations);
  return { ids, created: known.created(), changed: known.addedXrefs() };
}

/**
 * The error for a body that does not fit what is stored: it has these violations, and those of the references, which otherwise only
 * `resolve` finds.
 */
export async function unfit(
  ctx: RequestContext,
  access: WorkspaceAccess,
  { violations, references }: { violations: readonly Violation[]; references: readonly CatalogReference[] },
): Promise<ServiceError> {
  const byId = references.filter(({ id }) => id !== undefined);
  const known = new KnownRecords(access.owner, await candidates(ctx, access, byId));
  const unknown = byId.filter((reference) => !known.match(reference)).slice(0, VIOLATIONS_SOUGHT);
  return invalidInput([...violations, ...unknown.map(unknownRecord)]);
}

const unknownRecord = ({ place, catalog, id }: CatalogReference): Violation => ({
  path: pointer(place),
  message: `${id} is not a record of the catalog ${catalog} in this workspace.`,
});

/** Adds a reference's xref to the record it matches, if that record has none. */
function addXref(known: KnownRecords, access: WorkspaceAccess, match: KnownRecord, xref: string): void {
  const { entity, created, added } = match;
  if (created) {
    if (created.xref === undefined) known.create(withXref(created, xref));
  } else if (entity && added === undefined && mayTakeXref(access, entity)) known.addXref(match, xref);
}

/**
 * The records that references resolve to now, in the order of their earlier resolution; undefined for each that now resolves to another
 * record, or that would create or change one.
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
 * All records of the workspace that any reference may match, for `resolve`. Names are queried only for references without an xref, or
 * whose xref no record of the caller's party has.
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
  const byName = (catalogReference: CatalogReference): RecordKey[] => {
    const nameKey = nameKeyOf(catalogReference);
    return nameKey === undefined ? [] : [{ workspace, xtype: catalogReference.catalog, nameKey }];
  };
  const search = async (keys: readonly RecordKey[]) => {
    if (keys.length === 0) return [];
    const found = await ctx.writeStores().recordSearch.find(keys, tx);
    return found.filter((record) => record.workspaceId === workspace);
  };
  const found = await search(
    different.flatMap((catalogReference): RecordKey[] => {
      const { catalog: xtype, id, xref } = catalogReference;
      if (id !== undefined) return [{ id }];
      return xref === undefined ? byName(catalogReference) : [{ workspace, xtype, owner, xref }];
    }),
  );
  const own = found.filter((record) => record.stored('owner') === owner);
  const known = new Set(own.map((record) => `${record.stored('xtype')} ${record.stored('xref')}`));
  const unknown = different.filter(({ catalog, xref }) => xref !== undefined && !known.has(`${catalog} ${xref}`));
  return [...found, ...(await search(unknown.flatMap(byName)))];
}

/** The most references of a request that one query can look up. */
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
