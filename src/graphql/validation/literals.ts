import {
  type ASTVisitor,
  type GraphQLError,
  type GraphQLInputType,
  type ValidationContext,
  type ValueNode,
  validateInputLiteral,
} from 'graphql';
import { changedError } from '../changed-error.ts';

type Path = readonly (string | number)[];

/**
 * ValuesOfCorrectTypeRule of graphql-js, but naming the argument of a literal that a scalar of this schema rejects, just as
 * the variable of a value is named.
 */
export function literalsOfTheirTypes(context: ValidationContext): ASTVisitor {
  const check = (node: ValueNode, type: GraphQLInputType | null | undefined): false => {
    const report = (error: GraphQLError, path: Path) => context.reportError(withPlace(error, context, path));
    if (type) validateInputLiteral(node, type, report, undefined, undefined, context.hideSuggestions);
    return false;
  };
  const value = (node: ValueNode) => check(node, context.getInputType());
  return {
    NullValue: value,
    ListValue: (node) => check(node, context.getParentInputType()),
    ObjectValue: value,
    EnumValue: value,
    IntValue: value,
    FloatValue: value,
    StringValue: value,
    BooleanValue: value,
  };
}

function withPlace(error: GraphQLError, context: ValidationContext, path: Path): GraphQLError {
  const { message, nodes, extensions } = error;
  const argument = context.getArgument();
  if (!argument || !nodes || extensions.code === undefined) return error;
  const within = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  const place = `Argument "${argument.name}" has invalid value${within && ` at ${within}`}`;
  return changedError(error, { message: `${place}: ${message}` });
}
