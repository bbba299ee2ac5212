import { singleValue } from '../../../src/http/query-string.ts';
import { DATETIME_FORMS, hintOnOffset, requestedInstantOf } from '../../../src/model/instant.ts';
import type { Parameter } from '../../declare/openapi-parts.ts';
import {
  type Bind,
  type DescriptionContext,
  described,
  queryParameter,
  type SourceContext,
  type SourceKind,
} from '../source-kind.ts';

/** A text in the query string. */
export interface QuerySource {
  readonly from: 'query';
  readonly name: string;
  readonly description?: string;
  readonly mayBeEmpty?: boolean;
  /** The allowed texts, for OpenAPI; the operation refuses others. */
  readonly oneOf?: readonly string[];
}

/** A filter text in the query string, given at most once; it may be empty (contract §13). */
export const fromQueryAsFilter = (name: string, description: string): QuerySource => ({
  from: 'query',
  name,
  description,
  mayBeEmpty: true,
});

/** A text in the query string, given at most once and not empty. */
export const fromQuery = (name: string, description?: string, oneOf?: readonly string[]): QuerySource => ({
  from: 'query',
  name,
  ...(description !== undefined && { description }),
  ...(oneOf && { oneOf }),
});

export const query: SourceKind<QuerySource> = {
  bind: ({ name, mayBeEmpty = false }, { variable, type, required }) => ({
    query: bindText(name, { variable, type, required, mayBeEmpty }),
  }),
  parameters(source, context) {
    const limits = source.oneOf ? { enum: source.oneOf } : { minLength: 1 };
    const schema = source.mayBeEmpty ? context.schema : { ...context.schema, ...limits };
    return describeText(source, { ...context, schema });
  },
  parameterNames: ({ name }) => [name],
  place: ({ name }) => ({ parameter: name }),
};

/** Binds a single text of the query string; a DateTime variable requires a valid time. */
export function bindText(
  name: string,
  {
    variable,
    type,
    required,
    mayBeEmpty,
  }: Pick<SourceContext, 'variable' | 'type' | 'required'> & { readonly mayBeEmpty?: boolean },
): Bind {
  const isDate = type === 'DateTime';
  return (request, { variables, violations }) => {
    const value = singleValue(request.query, name, violations);
    if (value !== undefined && isDate && !requestedInstantOf(value))
      violations.push({ parameter: name, message: `must be ${DATETIME_FORMS}${hintOnOffset(value)}.` });
    else if (value === '' && !mayBeEmpty) violations.push({ parameter: name, message: 'must not be empty.' });
    else if (value !== undefined) variables[variable] = value;
    else if (required) violations.push({ parameter: name, message: 'is missing.' });
  };
}

/** The OpenAPI parameter of such a text. */
export function describeText(
  { name, description }: { readonly name: string; readonly description?: string },
  { required, schema }: DescriptionContext,
): readonly Parameter[] {
  return [
    queryParameter(name, schema, {
      ...described(description),
      ...(required && { required: true }),
    }),
  ];
}
