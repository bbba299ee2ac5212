import { singleValue } from '../../../src/http/query-string.ts';
import { DATETIME_FORMS, instantOf } from '../../../src/model/instant.ts';
import type { JsonSchema } from '../../declare/json-schema.ts';
import { type Bind, type DescriptionContext, described, queryParameter, type SourceKind } from '../source-kind.ts';

/** A text in the query string. */
export interface QuerySource {
  readonly from: 'query';
  readonly name: string;
  readonly description?: string;
}

/** A text in the query string, given at most once; empty counts as absent. */
export const fromQuery = (name: string, description?: string): QuerySource => ({
  from: 'query',
  name,
  ...(description !== undefined && { description }),
});

export const query: SourceKind<QuerySource> = {
  bind: ({ name }, { variable, type, required }) => ({ query: bindText(name, { variable, type, required }) }),
  parameters: describeText,
  parameterNames: ({ name }) => [name],
  place: ({ name }) => ({ parameter: name }),
};

/** Binds a single text of the query string; a DateTime variable requires a valid time. */
export function bindText(
  name: string,
  { variable, type, required }: { readonly variable: string; readonly type: string; readonly required: boolean },
): Bind {
  const isDate = type === 'DateTime';
  return (request, { variables, faults }) => {
    const value = singleValue(request.query, name, faults);
    if (value && isDate && !instantOf(value)) faults.push({ parameter: name, message: `must be ${DATETIME_FORMS}.` });
    else if (value !== undefined && value !== '') variables[variable] = value;
    else if (required) faults.push({ parameter: name, message: 'is missing.' });
  };
}

/** Such a text in OpenAPI. */
export function describeText(
  { name, description }: { readonly name: string; readonly description?: string },
  { required, schema }: DescriptionContext,
): readonly JsonSchema[] {
  return [
    queryParameter(name, required ? { ...schema, minLength: 1 } : schema, {
      ...described(description),
      ...(required && { required: true }),
    }),
  ];
}
