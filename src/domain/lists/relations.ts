import { invalidInput } from '../../errors.ts';
import { catalogRecordType, organizationType, workspaceType } from '../../model/entity/entity-types.ts';
import type { Comparison, Condition } from '../../store/entities/query.ts';
import type { Found } from '../../store/lists/list-reads.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { ParsedFilter, Relation } from './filters.ts';

/** The scope of a query: one workspace, or all that the caller may read. */
interface Place {
  readonly workspace?: string | undefined;
  /** How many entities the relations of the query's filters match. */
  readonly matched: { entities: number };
}

/** The most entities that a relation filter may match, and all those of a query together, whose ids MongoDB takes in one command. */
const MAX_RELATED = 10_000;
const MAX_TOGETHER = 50_000;

/** Up to so many records matched by name or xref are read whole, because the answer will probably show them. */
const FEW = 50;

/** Resolves conditions on other entities into the ids of matching entities readable by the caller. */
export async function resolveRelations(ctx: RequestContext, place: Place, reading: ParsedFilter): Promise<Condition> {
  const each = (inner: readonly ParsedFilter[]) => Promise.all(inner.map((one) => resolveRelations(ctx, place, one)));
  if ('all' in reading) return { all: await each(reading.all) };
  if ('any' in reading) return { any: await each(reading.any) };
  if ('none' in reading) return { none: await each(reading.none) };
  if ('some' in reading) {
    return { stored: reading.stored, some: await resolveRelations(ctx, place, reading.some) };
  }
  return 'match' in reading ? related(ctx, place, reading) : reading;
}

/** Whether a filter can be run as is. */
export function isResolved(reading: ParsedFilter): reading is Condition {
  if ('all' in reading) return reading.all.every(isResolved);
  if ('any' in reading) return reading.any.every(isResolved);
  if ('none' in reading) return reading.none.every(isResolved);
  return 'some' in reading ? isResolved(reading.some) : !('match' in reading);
}

async function related(ctx: RequestContext, place: Place, relation: Relation): Promise<Condition> {
  const { stored, to, orAbsent } = relation;
  const { ids, workspaces } = await find(ctx, place, relation);
  const fits: Comparison = { stored, anyOf: orAbsent ? [...ids, null] : ids };
  const isWithin = to !== organizationType.name && to !== workspaceType.name;
  if (!isWithin || orAbsent || !fromTheTop(stored)) return fits;
  // Implied conditions that an index supports: the workspaces, and `refs`, which holds all references of a body.
  return {
    all: [
      ...(place.workspace === undefined ? [{ stored: 'workspace', anyOf: workspaces }] : []),
      ...(relation.catalog !== undefined ? [{ stored: 'refs', anyOf: ids }] : []),
      fits,
    ],
  };
}

/** Whether a path starts at the document, rather than at a list item. */
const fromTheTop = (stored: string): boolean => stored === 'parent_id' || /^(body|keys)\./.test(stored);

/** Whether a resolved filter lists the values it matches. */
const isByValue = (condition: Condition): boolean =>
  'all' in condition ? condition.all.length > 0 && condition.all.every(isByValue) : 'anyOf' in condition;

async function find(ctx: RequestContext, place: Place, relation: Relation): Promise<Found> {
  const { to, catalog, match, parameter = 'where' } = relation;
  const { collection, scope } = sourceOf(ctx, place, { to, catalog });
  const condition = await resolveRelations(ctx, place, match);
  const query = { reader: ctx.tenant, scope, conditions: [condition], order: [] };
  if (to === catalogRecordType.name && isByValue(condition)) {
    const few = await ctx.readStores().catalogRecords.few(query, { limit: FEW, ...ctx.time });
    for (const record of few ?? []) ctx.keepFound(record);
    if (few) return { ids: few.map(({ id }) => id), workspaces: [...new Set(few.map(({ partition }) => partition))] };
  }
  const found = await ctx.reading((time) => collection.ids(query, { limit: MAX_RELATED + 1, ...time }));
  place.matched.entities += found.ids.length;
  const isTooMuch = found.ids.length > MAX_RELATED;
  if (!isTooMuch && place.matched.entities <= MAX_TOGETHER) return found;
  const most = isTooMuch ? `${MAX_RELATED} entities (${catalog ?? to})` : `${MAX_TOGETHER} entities in all its places`;
  const message = `goes through more than ${most}; say more about them.`;
  throw invalidInput([{ parameter, message }]);
}

function sourceOf(ctx: RequestContext, { workspace }: Place, { to, catalog }: Pick<Relation, 'to' | 'catalog'>) {
  const stores = ctx.readStores();
  const readers = ctx.tenant;
  const inWorkspace = { ...(workspace !== undefined && { workspace }), readers };
  switch (to) {
    case catalogRecordType.name:
      return { collection: stores.catalogRecords, scope: { ...inWorkspace, ...(catalog && { xtype: catalog }) } };
    case organizationType.name:
      return { collection: stores.organizations, scope: {} };
    case workspaceType.name:
      return { collection: stores.workspaces, scope: { ...(workspace && { _id: workspace }), readers } };
    default:
      return { collection: stores.documents, scope: { ...inWorkspace, type: to } };
  }
}
