import { type FieldNode, type GraphQLNamedType, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** What the spreads and conditions of selections refer to. */
export type Surroundings = Pick<GraphQLResolveInfo, 'schema' | 'fragments'>;

/** Sets of selections, and the type of the objects that they are about. */
export interface Selections {
  readonly sets: readonly SelectionSetNode[];
  readonly type: GraphQLNamedType | undefined;
}

type Visit = (field: FieldNode, type: GraphQLNamedType | undefined) => void;

/**
 * Visits the fields of selections, each with the type it is selected on: the type condition of the innermost fragment around
 * it. A fragment is walked once, however often it is spread, so that the time is linear in the text.
 */
export function eachSelected({ sets, type }: Selections, { schema, fragments }: Surroundings, visit: Visit): void {
  const seen = new Set<string>();
  const walk = ({ selections }: SelectionSetNode, on: GraphQLNamedType | undefined): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        visit(selection, on);
        continue;
      }
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      if (isSpread && seen.has(selection.name.value)) continue;
      if (isSpread) seen.add(selection.name.value);
      const fragment = isSpread ? fragments[selection.name.value] : selection;
      const condition = fragment?.typeCondition?.name.value;
      if (fragment) walk(fragment.selectionSet, condition === undefined ? on : schema.getType(condition));
    }
  };
  for (const set of sets) walk(set, type);
}
