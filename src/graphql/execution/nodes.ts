import { type ASTNode, Kind } from 'graphql';

/**
 * Whether a node or any below it matches; stops at the first match. For a short text, `visit` of graphql-js takes longer to
 * collect its visitors per kind of node than to traverse the nodes.
 */
export function anyNode(node: ASTNode, isOne: (node: ASTNode) => boolean): boolean {
  if (isOne(node)) return true;
  for (const name in node) {
    if (name === 'loc') continue;
    const below: unknown = node[name as keyof ASTNode];
    if (Array.isArray(below) ? below.some((each) => anyNode(each, isOne)) : isNode(below) && anyNode(below, isOne)) {
      return true;
    }
  }
  return false;
}

/** Visits a node and all below it. */
export function eachNode(node: ASTNode, look: (node: ASTNode) => void): void {
  anyNode(node, (one) => {
    look(one);
    return false;
  });
}

/** Whether a value depends on variables. */
export const holdsVariable = (node: ASTNode): boolean => anyNode(node, ({ kind }) => kind === Kind.VARIABLE);

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'kind' in value;
