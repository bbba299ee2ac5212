import { type DirectiveNode, type DocumentNode, Kind } from 'graphql';
import { eachNode } from './nodes.ts';

const conditionOf = (directive: DirectiveNode) => directive.arguments?.find(({ name }) => name.value === 'if')?.value;

const isCondition = ({ name }: DirectiveNode): boolean => name.value === 'skip' || name.value === 'include';

/** The variables of @skip and @include. */
export function conditionsIn(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  eachNode(document, (node) => {
    const value = node.kind === Kind.DIRECTIVE && isCondition(node) ? conditionOf(node) : undefined;
    if (value?.kind === Kind.VARIABLE) names.add(value.name.value);
  });
  return [...names];
}

/** Whether @skip and @include keep a selection, for the given values of their variables. */
export const isIncluded = (directives: readonly DirectiveNode[], values: Readonly<Record<string, unknown>>): boolean =>
  directives.filter(isCondition).every((directive) => {
    const value = conditionOf(directive);
    const holds =
      value?.kind === Kind.VARIABLE ? values[value.name.value] : value?.kind === Kind.BOOLEAN && value.value;
    return holds === (directive.name.value === 'include');
  });
