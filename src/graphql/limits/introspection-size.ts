import {
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import type { Execution } from '../execution/compiled-queries.ts';
import { anyNode } from '../execution/nodes.ts';
import { fragmentsOf, operationOf } from '../execution/operation-of.ts';
import { requestError } from '../request-error.ts';
import { defaultsOf, type Variables } from './cost-figures.ts';

/** The maximum number of values that introspection may return: six times those of the longest query of a tool. */
const MAX_VALUES = 200_000;

const INTROSPECTION: ReadonlySet<string> = new Set(['__schema', '__type']);

const isIntrospection = ({ name }: FieldNode): boolean => INTROSPECTION.has(name.value);

const known = new WeakMap<DocumentNode, boolean>();

/** Whether a document asks about the schema; the answer is remembered. */
export function introspects(document: DocumentNode): boolean {
  const found = known.get(document) ?? anyNode(document, (node) => node.kind === Kind.FIELD && isIntrospection(node));
  known.set(document, found);
  return found;
}

/**
 * The error for an operation whose introspection would return too many values: nothing interrupts introspection or counts its
 * values while it runs. A value counts wherever it is selected, even if it is merged with another or left out by @skip.
 */
export function introspectionRefusal(schema: GraphQLSchema, execution: Execution): GraphQLError | undefined {
  const { document, operationName, variables } = execution;
  if (!introspects(document)) return undefined;
  const operation = operationOf(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!root) return undefined;
  const count = new IntrospectionCount(schema, document, { ...defaultsOf(operation), ...variables });
  count.add(operation.selectionSet, root, undefined);
  if (!count.isTooLarge) return undefined;
  return requestError(
    'GRAPHQL_VALIDATION_FAILED',
    `Introspection would return more than the ${MAX_VALUES} values that are allowed. Ask for each part of the schema once, and for fewer fields.`,
  );
}

/** Counts the values that introspection would return, up to one more than allowed. */
class IntrospectionCount {
  readonly #schema: GraphQLSchema;
  readonly #variables: Variables;
  readonly #fragments: GraphQLResolveInfo['fragments'];
  #left = MAX_VALUES;

  constructor(schema: GraphQLSchema, document: DocumentNode, variables: Variables) {
    this.#schema = schema;
    this.#variables = variables;
    this.#fragments = fragmentsOf(document);
  }

  get isTooLarge(): boolean {
    return this.#left < 0;
  }

  add({ selections }: SelectionSetNode, type: GraphQLNamedType, source: unknown): void {
    for (const selection of selections) {
      this.#left -= 1;
      if (this.isTooLarge) return;
      if (selection.kind === Kind.FIELD) this.#addField(selection, type, source);
      else {
        const part = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments[selection.name.value] : selection;
        if (part) this.add(part.selectionSet, type, source);
      }
    }
  }

  #addField(node: FieldNode, type: GraphQLNamedType, source: unknown): void {
    const { selectionSet } = node;
    if (!selectionSet || !isObjectType(type) || (source === undefined && !isIntrospection(node))) return;
    const field = this.#schema.getField(type, node.name.value);
    const name = node.arguments?.find((argument) => argument.name.value === 'name')?.value;
    const args = { includeDeprecated: true, name: name && valueFromASTUntyped(name, this.#variables) };
    const found: unknown = field?.resolve?.(source, args, undefined, { schema: this.#schema } as GraphQLResolveInfo);
    if (!field || !found) return;
    const below = getNamedType(field.type);
    for (const each of Array.isArray(found) ? found : [found]) this.add(selectionSet, below, each);
  }
}
