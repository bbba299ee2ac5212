import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from '../../src/context.ts';
import { eachSelected, type Surroundings } from './selected-fields.ts';

/** What a field's extensions say about the records below it. */
interface Relation {
  /** The id of the record that the field shows, or a list of ids. */
  readonly records?: (source: never) => unknown;
  /** The object or list of objects that the field shows: parts of the source itself. */
  readonly part?: (source: never) => unknown;
}

type Collect = (item: unknown, ids: Set<string>) => void;

/** The fields below an item that show records. */
interface Needed {
  /** The paths of these fields, as one text. */
  readonly paths: string;
  /** Collects the ids of an item's records. */
  readonly collect: Collect;
}

/** Extensions of a field that shows the records with these ids. */
export const showsRecords = <Source>(records: (source: Source) => unknown) => ({ needs: { records } });

/** Extensions of a field that shows a part of its source. */
export const showsPart = <Source>(part: (source: Source) => unknown) => ({ needs: { part } });

/**
 * Collects the ids of the records shown by fields below each item of a list. Undefined if no field shows any, or if items have
 * relations of other kinds, which would wait for the records without needing them.
 */
export function neededRecords(info: GraphQLResolveInfo): Collect | undefined {
  const [node, ...others] = info.fieldNodes;
  return node && others.length === 0 ? neededBelow(node, info.returnType, info)?.collect : undefined;
}

function neededBelow(node: FieldNode, returnType: GraphQLOutputType, around: Surroundings): Needed | undefined {
  const type = getNamedType(returnType);
  if (!node.selectionSet || !isObjectType(type)) return undefined;
  const before = known.get(node);
  if (before !== undefined) return before ?? undefined;
  const { schema, fragments } = around; // a plan lives as long as its document, and must not retain a request
  const needed = planned(node.selectionSet, type, { schema, fragments }) ?? null;
  known.set(node, needed);
  return needed ?? undefined;
}

const known = new WeakMap<FieldNode, Needed | null>();

/** The items of a page, once the records shown below them are loaded: each item then resolves without waiting. */
export function withRecords<Item>(
  items: readonly Item[],
  { page, load }: { readonly page: object; readonly load: Context['load'] },
  info: GraphQLResolveInfo,
): readonly Item[] | Promise<readonly Item[]> {
  const collect = neededRecords(info);
  if (!collect) return items;
  const ids = new Set<string>();
  for (const item of items) collect(item, ids);
  const question = questions.get(page);
  const reading = question === undefined ? load.readRecords(ids) : load.readRecordsOf(question, ids);
  return reading ? reading.then(() => items) : items;
}

type ReadPage<Source, Args, Page> = (source: Source, args: Args, context: Context) => Promise<Page>;

/**
 * Reads a page and, in parallel, the records shown by the last answer to the same query: usually this answer shows them too,
 * and need not wait for them. Any other records are read once the page is there.
 */
export const readingAhead =
  <Source, Args, Page extends object>(read: ReadPage<Source, Args, Page>) =>
  (source: Source, args: Args, context: Context, info: GraphQLResolveInfo): Promise<Page> => {
    const page = read(source, args, context);
    const paths = pathsBelow(info);
    if (paths === undefined) return page;
    const { id = '' } = (source ?? {}) as { readonly id?: string };
    const question = `${info.fieldNodes[0]?.name.value} ${id} ${paths} ${JSON.stringify(args)}`;
    context.load.readRecordsAhead(question);
    return page.then((found) => {
      questions.set(found, question);
      return found;
    });
  };

/** The query that each page answers. */
const questions = new WeakMap<object, string>();

/** The paths of the records that a connection's items show; undefined if they show none. */
function pathsBelow(info: GraphQLResolveInfo): string | undefined {
  const [node, ...others] = info.fieldNodes;
  const type = getNamedType(info.returnType);
  if (!node?.selectionSet || others.length > 0 || !isObjectType(type)) return undefined;
  for (const one of node.selectionSet.selections) {
    if (one.kind !== Kind.FIELD) continue;
    const field = type.getFields()[one.name.value];
    const needed = field && neededBelow(one, field.type, info);
    if (needed) return needed.paths;
  }
  return undefined;
}

function planned(set: SelectionSetNode, type: GraphQLObjectType, around: Surroundings): Needed | undefined {
  const parts: Needed[] = [];
  const isPlanned = addPlans(parts, [set], { type, around });
  if (!isPlanned || parts.length === 0) return undefined;
  return {
    paths: pathsOf(parts),
    collect: (item, ids) => {
      for (const { collect } of parts) collect(item, ids);
    },
  };
}

interface Place {
  readonly type: GraphQLObjectType;
  readonly around: Surroundings;
}

/** False if the selections have a relation of another kind. */
function addPlans(parts: Needed[], sets: readonly SelectionSetNode[], place: Place): boolean {
  for (const [name, below] of selectedBelow(sets, place)) {
    const field = place.type.getFields()[name];
    const { records, part } = (field?.extensions.needs ?? {}) as Relation;
    if (records) {
      parts.push({ paths: name, collect: (item, ids) => addIds(records(item as never), ids) });
      continue;
    }
    const type = getNamedType(field?.type);
    if (!part || !isObjectType(type)) return false;
    const inside: Needed[] = [];
    if (!addPlans(inside, below, { type, around: place.around })) return false;
    if (inside.length === 0) continue;
    parts.push({
      paths: `${name}(${pathsOf(inside)})`,
      collect: (item, ids) => collectIn(part(item as never), ids, inside),
    });
  }
  return true;
}

/** The fields of a type with something selected below them: by name, whatever their aliases. */
function selectedBelow(
  sets: readonly SelectionSetNode[],
  { type, around }: Place,
): ReadonlyMap<string, readonly SelectionSetNode[]> {
  const found = new Map<string, SelectionSetNode[]>();
  eachSelected({ sets, type }, around, ({ name, selectionSet }, on) => {
    if (!selectionSet || (isObjectType(on) && on !== type)) return;
    const others = found.get(name.value);
    if (others) others.push(selectionSet);
    else found.set(name.value, [selectionSet]);
  });
  return found;
}

const pathsOf = (parts: readonly Needed[]): string => parts.map(({ paths }) => paths).join();

function addIds(value: unknown, ids: Set<string>): void {
  if (typeof value === 'string') ids.add(value);
  else if (Array.isArray(value)) for (const each of value) addIds(each, ids);
}

function collectIn(value: unknown, ids: Set<string>, parts: readonly Needed[]): void {
  if (value === undefined || value === null) return;
  for (const part of Array.isArray(value) ? value : [value]) for (const { collect } of parts) collect(part, ids);
}
