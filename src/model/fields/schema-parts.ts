import type { Catalog } from '../catalogs.ts';

/**
 * A JSON Schema (2020-12) with annotations of this service: x-catalog, x-alias, x-alias-of, x-link, and the formats
 * "datetime" and "country-code".
 */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly (string | null)[];
  readonly const?: null;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  /** Values that are not allowed; informative only, since the service checks them with error texts of its own. */
  readonly not?: Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minProperties?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  /** True for an object with arbitrary members; otherwise, code generators would make it an empty type. */
  readonly additionalProperties?: boolean;
  /** Set only by the service; ignored in requests. */
  readonly readOnly?: boolean;
  /** A catalog reference: a record id, or an object with xref and/or name. */
  readonly 'x-catalog'?: Catalog;
  /** The second spelling of this field in the interface; values are returned under the name they were sent with. */
  readonly 'x-alias'?: string;
  /** Set on the second spelling itself: the primary name of the field. */
  readonly 'x-alias-of'?: string;
  /** The id of another entity. */
  readonly 'x-link'?: string;
  /** Responses may have a value of any type here: other APIs do not know the member, or earlier versions did not check it. */
  readonly 'x-unchecked'?: boolean;
  /** The path of the value in the stored body, if it differs from the field's own. */
  readonly 'x-stored'?: string;
}

export const text = (description?: string): Schema => part({ type: ['string', 'null'] }, description);
export const integer = (description?: string): Schema => part({ type: ['integer', 'null'] }, description);
export const float = (description?: string): Schema => part({ type: ['number', 'null'] }, description);
export const flag = (description?: string): Schema => part({ type: ['boolean', 'null'] }, description);

/** ISO 8601; stored as sent, compared and sorted as an instant. */
export const datetime = (description?: string): Schema =>
  part({ type: ['string', 'null'], format: 'datetime' }, description);

/** A number within limits, given as JSON Schema keywords. */
export const within = (limits: Pick<Schema, 'minimum' | 'maximum' | 'exclusiveMaximum'>, description: string): Schema =>
  part({ type: ['number', 'null'], ...limits }, description);

/** A two-letter code of ISO 3166-1, assigned or user-assigned; stored in capitals. */
export const country = (description: string): Schema =>
  part({ type: ['string', 'null'], format: 'country-code' }, description);

/** One of the given values. */
export const oneOf = (values: readonly string[], description?: string): Schema =>
  part({ enum: [...values, null] }, description);

/** The id of another entity of the named kind. */
export const link = (kind: string, description?: string): Schema =>
  part({ type: ['string', 'null'], format: 'uuid', 'x-link': kind }, description);

export const object = (properties: Readonly<Record<string, Schema>>, description?: string): Schema =>
  part({ type: ['object', 'null'], properties }, description);

/** An object with a title, which names its GraphQL type. */
export const named = (title: string, schema: Schema): Schema => ({ ...schema, title });

/** How many items a list in a body may have, unless it says otherwise. */
export const MOST_ITEMS = 10_000;

/** A list of at most `most` items. */
export const list = (items: Schema, description?: string, most = MOST_ITEMS): Schema =>
  part({ type: ['array', 'null'], items, maxItems: most }, description);

/** The same schema without null. */
export const present = ({ type, enum: values, anyOf, ...schema }: Schema): Schema => ({
  ...schema,
  ...(type !== undefined && { type: typeof type === 'string' ? type : type.filter((one) => one !== 'null') }),
  ...(values && { enum: values.filter((value) => value !== null) }),
  ...(anyOf && { anyOf: anyOf.filter((part) => part.type !== 'null') }),
});

const BLANK: Schema = { type: ['string', 'null'], pattern: '^\\s*$' };

/** An object that names no record: it has no id, and its xref and name are missing or blank. */
export const NAMES_NOTHING: Schema = { properties: { id: { const: null }, xref: BLANK, name: BLANK } };

/** The forms of a catalog reference: the id of a record, or an object that names one. */
export const REFERENCE_FORMS = {
  id: { type: 'string', format: 'uuid' },
  names: {
    type: 'object',
    properties: {
      id: { type: ['string', 'null'], format: 'uuid' },
      xref: { type: ['string', 'null'] },
      name: { type: ['string', 'null'] },
    },
    not: NAMES_NOTHING,
  },
} satisfies Readonly<Record<string, Schema>>;

/** A catalog reference (interface, "Field types"): matched to a record of that catalog, or creating one. */
export const reference = (catalog: Catalog, description?: string): Schema =>
  part({ 'x-catalog': catalog, anyOf: [REFERENCE_FORMS.id, REFERENCE_FORMS.names, { type: 'null' }] }, description);

/** A field and its alias: its name in GraphQL, and its other name in the interface. */
export const alias = (name: string, other: string, schema: Schema): Readonly<Record<string, Schema>> => ({
  [name]: { ...schema, 'x-alias': other },
  [other]: { ...schema, 'x-alias-of': name, description: `Another spelling of ${name}.` },
});

const part = (schema: Schema, description: string | undefined): Schema =>
  description === undefined ? schema : { ...schema, description };
