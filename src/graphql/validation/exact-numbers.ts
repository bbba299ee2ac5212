import {
  type FloatValueNode,
  GraphQLError,
  GraphQLFloat,
  getNamedType,
  type IntValueNode,
  type ValidationRule,
} from 'graphql';
import { exactNumber } from '../../model/exact-json.ts';

/** How much of a number an error shows. */
const SHOWN = 40;

/** Rejects literals that no double represents, which graphql-js reads as infinity or another integer (contract §13). */
export const exactNumbers: ValidationRule = (context) => {
  const check = (node: IntValueNode | FloatValueNode): void => {
    const type = context.getInputType();
    if (!type || getNamedType(type) !== GraphQLFloat || Number.isFinite(exactNumber(node.value))) return;
    const shown = node.value.length > SHOWN ? `${node.value.slice(0, SHOWN)}…` : node.value;
    const message = `Float cannot represent ${shown}: a double holds numbers up to 1.8e308, and integers beyond 2⁵³ only if they are exact.`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  };
  return { IntValue: check, FloatValue: check };
};
