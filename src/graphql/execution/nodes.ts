import { type ASTNode, Kind } from 'graphql';

/**
 * Whether a node or one below it is of that sort; nothing is looked at after the first. For a short text, `visit` of graphql-js takes longer
 * to list what is done at which kind of nodes than to go through them.
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

/** Looks at a node and all below it. */
export function eachNode(node: ASTNode, look: (node: ASTNode) => void): void {
  anyNode(node, (one) => {
    look(one);
    return false;
  });
}

/** Whether a value depends on the variables of a request. */
export const holdsVariable = (node: ASTNode): boolean => anyNode(node, ({ kind }) => kind === Kind.VARIABLE);

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'kind' in value;
