import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLError,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isNonNullType,
} from 'graphql';
import { eachSelected, type Selections, type Surroundings } from '../../../schema/building/selected-fields.ts';
import { fragmentsOf, operationOf } from './operation-of.ts';

type Path = readonly (string | number)[];

/** An operation and its result. */
interface Answered {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly data: ExecutionResult['data'];
}

/**
 * The errors of an operation without those of removed values: of all errors below a value that is null because a required field
 * failed, only the one that nulled it stays. Which others arise depends on the executor, and on what is resolved first.
 */
export function withoutSwallowed(errors: readonly GraphQLError[], answered: Answered): readonly GraphQLError[] {
  if (answered.data === undefined || errors.length < 2) return errors;
  const below = Map.groupBy(errors, ({ path = [] }) => JSON.stringify(path.slice(0, depthOfNull(answered.data, path))));
  const swallowed = new Set<GraphQLError>();
  const known = new Map<string, number>();
  const around = { schema: answered.schema, fragments: fragmentsOf(answered.document) };
  const emptied = (path: Path): number => {
    const shape = path.map((key) => (typeof key === 'number' ? '' : key)).join('.');
    const depth = known.get(shape) ?? depthEmptied(path, answered, around);
    known.set(shape, depth);
    return depth;
  };
  for (const [place, together] of below) {
    const depth = (JSON.parse(place) as Path).length;
    const inside = together.filter(({ path = [] }) => path.length > depth);
    const cause = inside.find(({ path = [] }) => emptied(path) === depth) ?? inside[0];
    for (const error of inside) if (error !== cause) swallowed.add(error);
  }
  return errors.filter((error) => !swallowed.has(error));
}

/** The depth of the first null on a path, or of its end. */
function depthOfNull(data: unknown, path: Path): number {
  let at = data;
  for (const [depth, key] of path.entries()) {
    if (at === null || at === undefined) return depth;
    at = (at as Readonly<Record<string | number, unknown>>)[key];
  }
  return path.length;
}

/** The depth of the innermost nullable value on a path: the one that an error at its end turns to null. */
function depthEmptied(path: Path, { document, operationName }: Answered, around: Surroundings): number {
  const operation = operationOf(document, operationName);
  let type: GraphQLOutputType | undefined = operation && (around.schema.getRootType(operation.operation) ?? undefined);
  let sets = operation ? [operation.selectionSet] : [];
  let depth = 0;
  for (const [index, key] of path.entries()) {
    if (typeof key === 'number') {
      const list: unknown = getNullableType(type);
      type = isListType(list) ? (list.ofType as GraphQLOutputType) : undefined;
    } else {
      const fields = fieldsOf({ sets, type: getNamedType(type) }, key, around);
      [type] = fields.values();
      sets = [...fields.keys()].flatMap(({ selectionSet = [] }) => selectionSet);
    }
    if (!isNonNullType(type)) depth = index + 1;
  }
  return depth;
}

/**
 * The fields that share a response name, with their types, whose nullability is the same: the document would be invalid
 * otherwise.
 */
function fieldsOf(
  selections: Selections,
  wanted: string,
  around: Surroundings,
): Map<FieldNode, GraphQLOutputType | undefined> {
  const found = new Map<FieldNode, GraphQLOutputType | undefined>();
  eachSelected(selections, around, (field, type) => {
    if ((field.alias ?? field.name).value !== wanted) return;
    found.set(field, isCompositeType(type) ? around.schema.getField(type, field.name.value)?.type : undefined);
  });
  return found;
}
