import { JOB_TYPE } from '../document-types/job.ts';
import type { EntityType } from '../entity/entity-type.ts';
import { datetime, flag, float, link, object, type Schema, text } from '../fields/schema-parts.ts';
import type { JsonObject } from '../json.ts';
import { items, ownOfShapeA, ownOfShapeB, type Properties, record, whole } from './data-api-parts.ts';

/** The two shapes of a job in the Data API (interface, "Data API: job body"). */
export type DataApiShape = 'A' | 'B';

/** The form of a body in the interface: the create or submit form of Shape A, or Shape B. */
export type DataApiForm = 'create' | 'submit' | 'single';

/**
 * The forms that a posted body may have. With a non-null `inspectionObjects` or `cargoes` it is Shape A: if it has `retain`,
 * the create form or else the submit form, otherwise the submit form.
 */
export function dataApiFormsOf(body: JsonObject): readonly DataApiForm[] {
  const { inspectionObjects = null, cargoes = null } = body;
  if (inspectionObjects === null && cargoes === null) return ['single'];
  return Object.hasOwn(body, 'retain') ? ['create', 'submit'] : ['submit'];
}

const requested = object({ quality: flag(), quantity: flag(), timelog: flag() });

const ofEveryJob: Properties = {
  workspace: link('workspace'),
  parent: link('document'),
  xref: text(),
  refNumber: text(),
  tripNumber: text(),
  jobType: text(),
  status: text(),
  activity: text(),
  eta: datetime(),
  etc: datetime(),
  notes: text(),
  requested,
  specification: { ...link('specification'), 'x-unchecked': true },
};

const IN_BOTH_FORMS = ['jobType', 'status', 'refNumber', 'vendor', 'client'];
const IN_SUBMIT = ['tripNumber', 'region', 'activity', 'sampleDate', 'coordinator', 'operator'];

function shapeA(title: string, required: readonly string[], ofParties: readonly string[]): Schema {
  const parties = { vendor: record('vendors', {}, ofParties), client: record('clients', {}, ofParties) };
  return { ...whole({ ...ofEveryJob, ...ownOfShapeA, ...parties }, required), type: 'object', title };
}

/** Members that the interface defines for Shape A only; in Shape B they are optional, with the same types. */
const { inspectionObjects: _objects, cargoes: _cargoes, ...ownOfShapeAAlone } = ownOfShapeA;

/** The schema with its required members made optional and nullable: Shape B requires only the right types (contract §7). */
function optional({ required = [], ...schema }: Schema): Schema {
  const { properties, items } = schema;
  const member = ([name, part]: readonly [string, Schema]) =>
    [name, required.includes(name) ? orNull(optional(part)) : optional(part)] as const;
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(member)) }),
    ...(items && { items: optional(items) }),
  };
}

const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema.type ?? [], 'null'].flat() });

/** Members that the other APIs do not know: their jobs appear in Shape B with whatever was sent. */
const unchecked = (properties: Properties = {}): Properties =>
  Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, { ...part, 'x-unchecked': true }]));

const shapeB: Schema = {
  title: 'Job of Shape B',
  type: 'object',
  minProperties: 1,
  properties: {
    ...ofEveryJob,
    ...unchecked(optional({ properties: ownOfShapeAAlone }).properties),
    ...unchecked(ownOfShapeB),
    location: record('locations', { type: text(), region: text(), country: text() }),
    transports: items(record('transports', { type: text() })),
    cargo: object({
      product: record('products', { type: text() }),
      quantity: object({ value: float(), uom: record('uom', {}) }),
      ...unchecked(ownOfShapeB.cargo?.properties),
    }),
    client: record('clients', {}),
    vendor: record('vendors', {}),
  },
};

const checkedAs = (schema: Schema): EntityType => ({ name: JOB_TYPE, aliases: [], noun: 'job', required: [], schema });

/** The schema of each form. */
export const DATA_API_FORMS: Readonly<Record<DataApiForm, EntityType>> = {
  create: checkedAs(shapeA('Job of Shape A, to create', [...IN_BOTH_FORMS, 'retain'], ['name', 'xref'])),
  submit: checkedAs(shapeA('Job of Shape A, to submit', [...IN_BOTH_FORMS, ...IN_SUBMIT], ['name'])),
  single: checkedAs(shapeB),
};

/** Every member that the interface defines for jobs, of any form. */
export const JOB_MEMBERS: ReadonlySet<string> = new Set(
  Object.values(DATA_API_FORMS).flatMap(({ schema }) => Object.keys(schema.properties ?? {})),
);

/** Only the lists of Shape A, for changes by other APIs. */
export const SHAPE_A_LISTS: EntityType = checkedAs(
  object(Object.fromEntries(['inspectionObjects', 'cargoes'].map((name) => [name, ownOfShapeA[name] ?? {}]))),
);
