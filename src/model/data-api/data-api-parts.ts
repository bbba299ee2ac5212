import type { Catalog } from '../catalogs.ts';
import {
  datetime,
  flag,
  float,
  integer,
  link,
  list,
  NAMES_NOTHING,
  named,
  object,
  present,
  type Schema,
  text,
} from '../fields/schema-parts.ts';

export type Properties = Readonly<Record<string, Schema>>;

/** An object with required members; the object itself may be absent or null. */
export const whole = (properties: Properties, required: readonly string[], description?: string): Schema => ({
  ...object(
    Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, required.includes(name) ? present(part) : part]),
    ),
    description,
  ),
  required,
});

/** A catalog reference of the Data API: always an object, with further members besides xref and name. */
export const record = (catalog: Catalog, more: Properties, required: readonly string[] = []): Schema => ({
  ...whole({ id: link('catalog record'), xref: text(), name: text(), ...more }, required),
  not: { type: 'object', ...NAMES_NOTHING },
  'x-catalog': catalog,
});

/** A list whose items may not be null. */
export const items = (schema: Schema): Schema => list(present(schema));

const vessel: Properties = {
  type: text('What kind of vessel it is.'),
  imo: text('The IMO number of the vessel.'),
  imoValid: flag('The IMO number is valid.'),
};

const place: Properties = {
  type: text('What kind of place it is.'),
  country: text('The country of the place.'),
};

const goods: Properties = {
  type: text('What kind of product it is.'),
  code: text('The code of the product.'),
  description: text('What the product is.'),
  sensitive: flag('The product is sensitive.'),
};

const inspectionObject = named(
  'InspectionObject',
  whole(
    {
      object: {
        ...record('transports', vessel, ['xref', 'name', 'type', 'imo', 'imoValid']),
        description: 'The vessel that is inspected.',
      },
      location: {
        ...record('locations', place, ['xref', 'type', 'name', 'country']),
        description: 'Where it is inspected.',
      },
    },
    ['object', 'location'],
    'A vessel that is inspected, and where.',
  ),
);

const volume = named(
  'Volume',
  whole(
    {
      value: float('How much, in the unit of measure beside it.'),
      uom: {
        ...record('uom', { abbr: text('The abbreviation of the unit.') }),
        description: 'The unit of measure of the value.',
      },
    },
    [],
  ),
);

const cargo = named(
  'InspectedCargo',
  whole(
    {
      number: integer('The number of the cargo in the job.'),
      product: {
        ...record('products', goods, ['xref', 'type', 'name', 'sensitive']),
        description: 'What is shipped.',
      },
      volume: { ...volume, description: 'How much is shipped.' },
      volumeType: text('What the volume is of.'),
      tolerance: text('By how much the volume may differ.'),
      vcfTable: text('The table of volume correction factors.'),
    },
    ['number', 'product'],
    'One of the cargoes of a job.',
  ),
);

const inspectors = items(
  named(
    'Inspector',
    whole(
      { role: text('What the inspector does.'), inspector: text('The inspector.') },
      ['role', 'inspector'],
      'Someone who inspects.',
    ),
  ),
);

/** Paths whose value the other APIs take from the first item of a list of a Shape A job (contract §11). */
export const IN_FIRST_ITEM: ReadonlyMap<string, { readonly list: string; readonly member: string }> = new Map([
  ['location', { list: 'inspectionObjects', member: 'location' }],
  ['cargo.product', { list: 'cargoes', member: 'product' }],
]);

/** The members of Shape A besides those of every job. */
export const ownOfShapeA: Properties = {
  jobType: text('What kind of job it is.'),
  region: text('The region of the job.'),
  international: flag('The cargo crosses a border.'),
  retain: flag('Samples are retained.'),
  retainDays: integer('For how many days samples are retained.'),
  sampleDate: datetime('When samples are taken.'),
  coordinator: text('Who coordinates the job.'),
  operator: text('Who operates for the client.'),
  split: float('The share of the costs.'),
  inspectors: { ...inspectors, description: 'Who inspects, and as what.' },
  confirmedWith: text('With whom the job was confirmed.'),
  inspectionObjects: { ...items(inspectionObject), description: 'The vessels that are inspected, and where.' },
  cargoes: { ...items(cargo), description: 'What is shipped.' },
};

/** The members of Shape B besides those of every job. */
export const ownOfShapeB: Properties = {
  cargo: object({ description: text('What the cargo is.'), sensitive: flag('The cargo is sensitive.') }),
  assignees: {
    ...items(
      named(
        'Assignee',
        object({ role: text('What the user does.'), user: text('The user.') }, 'Someone who works on a job.'),
      ),
    ),
    description: 'Who works on the job.',
  },
};
