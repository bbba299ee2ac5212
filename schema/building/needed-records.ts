import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from '../../src/context.ts';

/** What a field says of the records below it, in its extensions. */
interface Relation {
  /** The id of the record that the field shows, or a list of ids. */
  readonly records?: (source: never) => unknown;
  /** The object that the field shows, or a list of objects: parts of the source itself. */
  readonly part?: (source: never) => unknown;
}

type Collect = (item: unknown, ids: Set<string>) => void;

/** Extensions of a field that shows the records with those ids. */
export const showsRecords = <Source>(records: (source: Source) => unknown) => ({ needs: { records } });

/** Extensions of a field that shows a part of what it belongs to. */
export const showsPart = <Source>(part: (source: Source) => unknown) => ({ needs: { part } });

/**
 * Adds the ids of the records that fields below each item of a list show. Undefined where none does, and where items have relations
 * of other kinds, which would wait for the records though they need none.
 */
export function neededRecords({ fieldNodes, returnType, schema, fragments }: GraphQLResolveInfo): Collect | undefined {
  const [node, ...others] = fieldNodes;
  const type = getNamedType(returnType);
  if (!node?.selectionSet || others.length > 0 || !isObjectType(type)) return undefined;
  const before = known.get(node);
  if (before !== undefined) return before ?? undefined;
  const collect = planned(node.selectionSet, type, { schema, fragments }) ?? null;
  known.set(node, collect);
  return collect ?? undefined;
}

/** The items of a list once the records are there that fields below them show: each is then resolved without waiting. */
export function withRecords<Item>(
  items: readonly Item[],
  { load }: Context,
  info: GraphQLResolveInfo,
): readonly Item[] | Promise<readonly Item[]> {
  const collect = neededRecords(info);
  if (!collect) return items;
  const ids = new Set<string>();
  for (const item of items) collect(item, ids);
  const reading = load.readRecords(ids);
  return reading ? reading.then(() => items) : items;
}

const known = new WeakMap<FieldNode, Collect | null>();

type Surroundings = Pick<GraphQLResolveInfo, 'schema' | 'fragments'>;

function planned(set: SelectionSetNode, type: GraphQLObjectType, around: Surroundings): Collect | undefined {
  const collects: Collect[] = [];
  const isPlanned = addPlans(collects, set, { type, around });
  if (!isPlanned || collects.length === 0) return undefined;
  return (item, ids) => {
    for (const collect of collects) collect(item, ids);
  };
}

interface Place {
  readonly type: GraphQLObjectType;
  readonly around: Surroundings;
}

/** False if the selection has a relation of another kind. */
function addPlans(collects: Collect[], { selections }: SelectionSetNode, { type, around }: Place): boolean {
  const { schema, fragments } = around;
  return selections.every((selection) => {
    if (selection.kind !== Kind.FIELD) {
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
      const condition = fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value);
      const applies =
        !condition || condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
      return !fragment || !applies || addPlans(collects, fragment.selectionSet, { type, around });
    }
    if (!selection.selectionSet) return true;
    const field = type.getFields()[selection.name.value];
    const { records, part } = (field?.extensions.needs ?? {}) as Relation;
    if (records) collects.push((item, ids) => addIds(records(item as never), ids));
    if (records) return true;
    const below = getNamedType(field?.type);
    if (!part || !isObjectType(below)) return false;
    const inside: Collect[] = [];
    const isPlanned = addPlans(inside, selection.selectionSet, { type: below, around });
    if (inside.length > 0) collects.push((item, ids) => collectIn(part(item as never), ids, inside));
    return isPlanned;
  });
}

function addIds(value: unknown, ids: Set<string>): void {
  if (typeof value === 'string') ids.add(value);
  else if (Array.isArray(value)) for (const each of value) addIds(each, ids);
}

function collectIn(value: unknown, ids: Set<string>, collects: readonly Collect[]): void {
  if (value === undefined || value === null) return;
  for (const part of Array.isArray(value) ? value : [value]) for (const collect of collects) collect(part, ids);
}
