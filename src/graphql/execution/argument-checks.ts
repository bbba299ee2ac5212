import {
  type ASTNode,
  type DirectiveNode,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getVariableValues,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from '../../context.ts';
import { hasErrorCode, ServiceError } from '../../errors.ts';
import type { Execution } from './compiled-queries.ts';
import { fragmentsOf, operationOf } from './operation-of.ts';

/** A field selected with arguments, and the check it declares for them (schema/building/checked.ts). */
interface CheckedField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
  readonly check: (args: unknown, context: Context) => Promise<void> | void;
}

type Outcome = Promise<ExecutionResult> | ExecutionResult;

interface Selected {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

type IsIncluded = (node: { readonly directives?: readonly DirectiveNode[] | undefined }) => boolean;

/**
 * Checks the arguments of all fields of a mutation before it begins, so a request rejected for them has changed nothing. Which
 * operations need checks is cached per document.
 */
export class ArgumentChecks {
  readonly #schema: GraphQLSchema;
  readonly #toCheck = new WeakMap<DocumentNode, Map<string, boolean>>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** Runs an operation, or returns the errors of its arguments. */
  before(execution: Execution, carryOut: () => Outcome): Outcome {
    const checking = this.#errorsOf(execution);
    return checking ? checking.then((errors) => (errors.length > 0 ? { errors } : carryOut())) : carryOut();
  }

  /** What the root field of an operation refuses of those arguments that have a valid value, for a request in which others have none. */
  async refusalOf(
    { operation, variableDefinitions = [], selectionSet }: OperationDefinitionNode,
    given: Execution['variables'],
    context: Context,
  ): Promise<ServiceError | undefined> {
    const schema = this.#schema;
    const [node] = selectionSet.selections;
    if (node?.kind !== Kind.FIELD) return undefined;
    const field = schema.getRootType(operation)?.getFields()[node.name.value];
    const check = field?.extensions.check as CheckedField['check'] | undefined;
    if (!check) return undefined;
    const valid = new Map(
      variableDefinitions.flatMap((variable) =>
        Object.entries(getVariableValues(schema, [variable], given).variableValues?.coerced ?? {}),
      ),
    );
    const args = (node.arguments ?? []).flatMap(({ name, value }) =>
      value.kind === Kind.VARIABLE && valid.has(value.name.value) ? [[name.value, valid.get(value.name.value)]] : [],
    );
    try {
      await check(Object.fromEntries(args), context);
    } catch (error) {
      if (hasErrorCode(error, 'INVALID_INPUT')) return error;
      if (!(error instanceof ServiceError)) throw error;
    }
    return undefined;
  }

  /** Undefined if there is nothing to check. */
  #errorsOf({ document, operationName = '', variables, context }: Execution): Promise<GraphQLError[]> | undefined {
    const operation = operationOf(document, operationName);
    if (operation?.operation !== OperationTypeNode.MUTATION) return undefined;
    const known = this.#toCheck.get(document) ?? new Map<string, boolean>();
    this.#toCheck.set(document, known);
    const isToCheck = known.get(operationName) ?? this.#fields({ document, operation }, () => true).length > 0;
    known.set(operationName, isToCheck);
    return isToCheck ? this.#check({ document, operation }, variables, context) : undefined;
  }

  async #check(selected: Selected, given: Execution['variables'], context: Context): Promise<GraphQLError[]> {
    const { variableDefinitions = [] } = selected.operation;
    const { variableValues } = getVariableValues(this.#schema, variableDefinitions, given);
    if (!variableValues) return []; // execution reports their errors
    const isSet = (directive: GraphQLDirective, node: Parameters<IsIncluded>[0]): unknown =>
      getDirectiveValues(directive, node, variableValues)?.if;
    const isIncluded: IsIncluded = (node) =>
      isSet(GraphQLSkipDirective, node) !== true && isSet(GraphQLIncludeDirective, node) !== false;
    const errors: GraphQLError[] = [];
    for (const { node, field, check } of this.#fields(selected, isIncluded)) {
      try {
        await check(getArgumentValues(field, node, variableValues), context);
      } catch (error) {
        errors.push(located(error as Error, node));
      }
    }
    return errors;
  }

  /** The fields of an operation with arguments to check; those of a fragment once. */
  #fields({ document, operation }: Selected, isIncluded: IsIncluded): CheckedField[] {
    const schema = this.#schema;
    const fragments = fragmentsOf(document);
    const found: CheckedField[] = [];
    const seen = new Set<ASTNode>();
    const mutation = schema.getMutationType() ?? undefined;
    const collect = ({ selections }: SelectionSetNode, type: GraphQLNamedType | undefined): void => {
      for (const selection of selections) {
        if (!isIncluded(selection)) continue;
        if (selection.kind === Kind.FIELD) {
          const field = isCompositeType(type) ? schema.getField(type, selection.name.value) : undefined;
          if (!field) continue;
          const check = field.extensions.check as CheckedField['check'] | undefined;
          if (check && type !== mutation && selection.arguments?.length) found.push({ node: selection, field, check });
          if (selection.selectionSet) collect(selection.selectionSet, getNamedType(field.type));
        } else {
          const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
          if (!fragment || seen.has(fragment)) continue;
          seen.add(fragment);
          const { typeCondition } = fragment;
          collect(fragment.selectionSet, typeCondition ? schema.getType(typeCondition.name.value) : type);
        }
      }
    };
    collect(operation.selectionSet, mutation);
    return found;
  }
}

const located = (error: Error, node: FieldNode): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError(error.message, { nodes: [node], originalError: error });
