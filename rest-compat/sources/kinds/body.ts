import { VIOLATIONS_SOUGHT, type Violation } from '../../../src/errors.ts';
import { isObject, pointer } from '../../../src/model/json.ts';
import { isUuid } from '../../../src/model/uuid.ts';
import { described, type SourceKind } from '../source-kind.ts';

/** The expected kind of a JSON value in a request body. */
type BodyKind = 'object' | 'objects' | 'string' | 'id' | 'uuid';

/** The JSON body of the request, or one of its members. */
export interface BodySource {
  readonly from: 'body';
  /** The member of the request body; undefined for the whole body. */
  readonly member?: string;
  /** If that member is not an object, the whole body is used (contract §4, v2 POST). */
  readonly orWholeBody?: boolean;
  readonly kind: BodyKind;
  /** The body can also be a URL-encoded form. */
  readonly orForm?: boolean;
  /** An explicit JSON null is passed on; otherwise null is a violation. */
  readonly nullable?: boolean;
  readonly description?: string;
  /** The only members allowed in the whole body; if the body has several sources, one of them declares this. */
  readonly only?: readonly string[];
  /** The maximum number of objects, or of characters of a string; at least one. For OpenAPI; the operation enforces it. */
  readonly most?: number;
}

/** The whole request body, which must be a JSON object, or one of its members. */
export const fromBody = (
  member?: string,
  options: Pick<BodySource, 'nullable' | 'description' | 'only' | 'most'> & { readonly kind?: BodyKind } = {},
): BodySource => ({ from: 'body', kind: 'object', ...options, ...(member !== undefined && { member }) });

/** The whole request body: a JSON object, or a URL-encoded form whose fields are parsed by the types of the members. */
export const fromBodyOrForm: BodySource = { from: 'body', kind: 'object', orForm: true };

/**
 * The member of that name if it is an object, otherwise the whole body. With `beside`, only these members are allowed beside
 * it, and they are not part of the whole body.
 */
export const fromBodyOrMember = (member: string, beside?: readonly string[]): BodySource => ({
  from: 'body',
  member,
  orWholeBody: true,
  kind: 'object',
  ...(beside && { only: [member, ...beside] }),
});

/** The whole request body, with only these members allowed. */
export const fromBodyOfOnly = (...only: readonly string[]): BodySource => ({ from: 'body', kind: 'object', only });

/** `previous_version_id` of a v2 PATCH: a UUID, or null for "never changed"; not checked if absent. */
export const fromPreviousVersion: BodySource = fromBody('previous_version_id', {
  kind: 'uuid',
  nullable: true,
  description: 'The version that the change is based on; null for an entity that was never changed.',
});

export const body: SourceKind<BodySource> = {
  bind(source, { variable, required }) {
    const { member, kind } = source;
    if (member === undefined) {
      return {
        body: (request, { variables, violations }) => {
          variables[variable] = request.body;
          if (source.only) violations.push(...otherMembers(request.body, source.only, 'cannot be changed here'));
        },
      };
    }
    const here = `/${member}`;
    const holdsEntity = kind === 'object' || kind === 'objects';
    return {
      body: (request, binding) => {
        const whole = isObject(request.body) ? request.body : {};
        const value = Object.hasOwn(whole, member) ? whole[member] : undefined;
        const isWhole = source.orWholeBody && !isObject(value);
        if (source.only && !isWhole) {
          binding.violations.push(...otherMembers(whole, source.only, 'is no member here'));
        }
        if (isWhole) {
          const beside = source.only?.filter((name) => name !== member) ?? [];
          binding.variables[variable] = withoutMembers(whole, beside);
        } else if (value === undefined) {
          if (required) binding.violations.push({ path: here, message: 'is missing.' });
        } else if (KINDS[kind].test(value) || (value === null && source.nullable)) {
          binding.variables[variable] = value;
          if (holdsEntity) binding.bodyPrefix = here;
        } else if (kind === 'objects' && Array.isArray(value)) {
          binding.violations.push(...otherItems(value, here));
        } else {
          const wanted = `${KINDS[kind].name}${source.nullable ? ' or null' : ''}`;
          binding.violations.push({ path: here, message: `must be ${wanted}.` });
        }
      },
    };
  },
  bodyPart({ member, kind, orWholeBody, orForm, nullable, description, only, most }, { required, schema, ownSchema }) {
    const mediaTypes = ['application/json', ...(orForm ? ['application/x-www-form-urlencoded'] : [])];
    const propertyNames = only && { propertyNames: { enum: only } };
    if (member === undefined) return { mediaTypes, whole: { ...schema, ...propertyNames } };
    const value = {
      ...(nullable ? { ...schema, type: [schema.type, 'null'] } : schema),
      ...(most !== undefined &&
        (kind === 'string' ? { minLength: 1, maxLength: most } : { minItems: 1, maxItems: most })),
      ...described(description),
    };
    return {
      mediaTypes,
      ...(orWholeBody && { whole: only && only.length > 1 ? ownSchema() : schema }),
      members: { [member]: value },
      ...propertyNames,
      required: required ? [member] : [],
    };
  },
  place: ({ member }) => (member === undefined ? undefined : { path: `/${member}` }),
};

const withoutMembers = (body: object, names: readonly string[]): object =>
  names.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

/** A violation for each member that is not allowed in the body. */
const otherMembers = (body: unknown, only: readonly string[], fault: string): Violation[] =>
  Object.keys(isObject(body) ? body : {})
    .filter((name) => !only.includes(name))
    .slice(0, VIOLATIONS_SOUGHT)
    .map((name) => ({ path: pointer([name]), message: `${fault}. Allowed: ${only.join(', ')}.` }));

/** A violation for each item of an array that is not an object. */
function otherItems(items: readonly unknown[], here: string): Violation[] {
  const violations: Violation[] = [];
  for (let index = 0; index < items.length && violations.length < VIOLATIONS_SOUGHT; index++) {
    if (!isObject(items[index])) violations.push({ path: `${here}/${index}`, message: 'must be a JSON object.' });
  }
  return violations;
}

const KINDS: Readonly<Record<BodyKind, { readonly name: string; test(value: unknown): boolean }>> = {
  object: { name: 'a JSON object', test: isObject },
  objects: { name: 'an array of JSON objects', test: (value) => Array.isArray(value) && value.every(isObject) },
  string: { name: 'a string', test: (value) => typeof value === 'string' },
  id: { name: 'an id', test: (value) => typeof value === 'string' || Number.isSafeInteger(value) },
  uuid: { name: 'a UUID', test: (value) => typeof value === 'string' && isUuid(value) },
};
