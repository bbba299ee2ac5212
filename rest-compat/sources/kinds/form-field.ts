import { singleValue } from '../../../src/http/query-string.ts';
import type { Bind, SourceKind } from '../source-kind.ts';
import { bindText, describeText } from './query.ts';

/** A text field of a multipart form, or the query parameter of that name. */
export interface FormFieldSource {
  readonly from: 'form';
  readonly name: string;
  readonly description?: string;
}

/** A text field of a multipart form, or the query parameter of that name; empty counts as absent. */
export const fromForm = (name: string, description?: string): FormFieldSource => ({
  from: 'form',
  name,
  ...(description !== undefined && { description }),
});

export const formField: SourceKind<FormFieldSource> = {
  bind: ({ name }, { variable }) => ({
    query: unlessEmpty(name, bindText(name, { variable, type: '', required: false })),
    body: bindField(variable, name),
  }),
  parameters: describeText,
  bodyPart: ({ name, description }) => ({
    mediaTypes: ['multipart/form-data'],
    members: { [name]: { type: 'string', description } },
  }),
  parameterNames: ({ name }) => [name],
};

/** Skips an empty parameter: forms send every field, even empty ones. */
const unlessEmpty =
  (name: string, bind: Bind): Bind =>
  (request, binding) => {
    if (request.query.get(name)?.join('') !== '') bind(request, binding);
  };

/** The query parameter of the same name is already bound; a different value in the field is a violation. */
function bindField(variable: string, name: string): Bind {
  return ({ form, query }, { variables, violations }) => {
    const value = form?.fields[name];
    if (value === undefined || value === '') return;
    if (value === null) {
      violations.push({ path: `/${name}`, message: 'cannot be read as text; UTF-8 is expected.' });
    } else if (typeof value !== 'string') {
      violations.push({ path: `/${name}`, message: 'is given more than once, or is not text.' });
    } else if (singleValue(query, name, []) && variables[variable] !== value) {
      violations.push({ path: `/${name}`, message: 'differs from the query parameter of the same name.' });
    } else variables[variable] = value;
  };
}
