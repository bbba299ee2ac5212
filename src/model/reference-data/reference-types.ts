import type { EntityType } from '../entity/entity-type.ts';
import { country, flag, list, named, object, oneOf, type Schema, text, within } from '../fields/schema-parts.ts';
import { GRADE_KINDS } from './grade-kinds.ts';

/** The collections of reference records, as in the paths of the Reference API. */
type ReferenceCollectionName = 'ports' | 'inland_facilities' | 'grades' | 'companies';

/** A kind of reference record: master data of one tenant, found by a code of that tenant (interface, "Reference API"). */
export interface ReferenceType extends EntityType {
  readonly name: ReferenceCollectionName;
  /** The member that says whether a record is in use. */
  readonly status: 'statusCode' | 'gradeStatusCode';
  /** Default values of a new body. */
  readonly defaults: Readonly<Record<string, string | readonly string[]>>;
}

/** The maximum length of a client code, in characters (contract §8). */
export const LONGEST_CODE = 100;

export const STATUSES = ['ACTIVE', 'INACTIVE'] as const;
const LATITUDE_SIDES = ['N', 'S'] as const;
const LONGITUDE_SIDES = ['W', 'E'] as const;

const shown = (description: string): Schema => ({ type: 'string', readOnly: true, description });

/** The members that the service sets in each record; ignored in requests. */
const audit: Readonly<Record<string, Schema>> = {
  clientCode: shown('The code of the record, from the path.'),
  dateCreated: shown('When it was created.'),
  creator: shown('The name of the principal that created it.'),
  dateModified: shown('When it was last written.'),
  modifier: shown('The name of the principal that wrote it last.'),
};

const name: Schema = { type: 'string', pattern: '\\S', description: 'What it is called.' };
const statusCode = oneOf(STATUSES, 'Whether it is in use; ACTIVE when it is left out.');

const minutes = (of: string) => within({ minimum: 0, exclusiveMaximum: 60 }, `The minutes of the ${of}.`);
const seconds = (of: string) => within({ minimum: 0, exclusiveMaximum: 60 }, `The seconds of the ${of}.`);

/** A place on the earth; its coordinates are never negative: a letter gives the side. */
const location = (title: string): Schema => ({
  title,
  type: 'object',
  properties: {
    ...audit,
    name,
    countryCode: country('The country, by its two-letter code of ISO 3166-1; letter case does not matter.'),
    geoRegionCode: text('The region of the world.'),
    latitudeDeg: within({ minimum: 0, maximum: 90 }, 'The degrees of the latitude.'),
    latitudeMin: minutes('latitude'),
    latitudeSec: seconds('latitude'),
    latitudeNs: oneOf(LATITUDE_SIDES, 'N is north of the equator, S is south.'),
    longitudeDeg: within({ minimum: 0, maximum: 180 }, 'The degrees of the longitude.'),
    longitudeMin: minutes('longitude'),
    longitudeSec: seconds('longitude'),
    longitudeWe: oneOf(LONGITUDE_SIDES, 'W is west of Greenwich, E is east.'),
    statusCode,
    restrictions: text('What ships must take into account, such as draught.'),
    generalComments: text('Remarks.'),
  },
  required: ['name'],
});

const common = { aliases: [], required: [] } as const;

export const portType: ReferenceType = {
  ...common,
  name: 'ports',
  noun: 'port',
  schema: location('Port'),
  status: 'statusCode',
  defaults: { statusCode: 'ACTIVE' },
};

export const inlandFacilityType: ReferenceType = {
  ...common,
  name: 'inland_facilities',
  noun: 'inland facility',
  schema: location('Inland facility'),
  status: 'statusCode',
  defaults: { statusCode: 'ACTIVE' },
};

export const gradeType: ReferenceType = {
  ...common,
  name: 'grades',
  noun: 'grade',
  schema: {
    title: 'Grade',
    type: 'object',
    properties: {
      ...audit,
      name,
      gradeTypeCode: {
        enum: GRADE_KINDS.map(({ code }) => code),
        description: 'The type; those that are listed with a space are accepted without it too.',
      },
      description: { type: 'string', description: 'What it is.' },
      gradeStatusCode: { enum: STATUSES, description: 'Whether it is in use.' },
      isSensitive: { type: 'boolean', description: 'Whether it is to be handled with discretion.' },
    },
    required: ['name', 'gradeTypeCode', 'description', 'gradeStatusCode', 'isSensitive'],
  },
  status: 'gradeStatusCode',
  defaults: {},
};

const preferred = flag('Whether it is the one to be used first.');

/** An object in a list, with the name of its type in GraphQL. */
const item = (title: string, description: string, properties: Readonly<Record<string, Schema>>): Schema => ({
  title,
  type: 'object',
  description,
  properties,
});

const kindOfAddress = text('What kind of address it is, such as WORK.');

/** The contact details of a head office. */
const contact: Readonly<Record<string, Schema>> = {
  addresses: list(
    item('postal address', 'An address for letters.', {
      isPreferred: preferred,
      address: text('Street and number.'),
      city: text('The city.'),
      state: text('The state or province.'),
      postalCode: text('The postal code.'),
      countryCode: country('The country, by its two-letter code of ISO 3166-1; letter case does not matter.'),
      addressTypeCode: kindOfAddress,
    }),
    'Where letters reach it.',
  ),
  emails: list(
    item('email address', 'An address for e-mail.', {
      isPreferred: preferred,
      address: text('The address.'),
      emailTypeCode: kindOfAddress,
    }),
    'Where e-mail reaches it.',
  ),
  urls: list(
    item('web address', 'An address in the web.', {
      isPreferred: preferred,
      address: text('The address.'),
      urlTypeCode: kindOfAddress,
    }),
    'Its web pages.',
  ),
  phones: list(
    item('phone number', 'A number to call.', {
      isPreferred: preferred,
      phoneNumber: text('The number.'),
      phoneTypeCode: text('What kind of number it is, such as WORK.'),
    }),
    'Where calls reach it.',
  ),
};

export const companyType: ReferenceType = {
  ...common,
  name: 'companies',
  noun: 'company',
  schema: {
    title: 'Company',
    type: 'object',
    properties: {
      ...audit,
      name,
      statusCode,
      companyRoles: list({ type: 'string' }, 'What the company does for its partners; empty when it is left out.'),
      headOfficeName: { ...shown('The name of the head office.'), type: ['string', 'null'] },
      headOfficeDescription: { ...shown('The description of the head office.'), type: ['string', 'null'] },
      headOffice: named(
        'head office',
        object(
          {
            name: text('What it is called.'),
            description: text('What it is.'),
            contact: named('contact', object(contact, 'How it is reached.')),
          },
          'The head office of a company.',
        ),
      ),
    },
    required: ['name'],
  },
  status: 'statusCode',
  defaults: { statusCode: 'ACTIVE', companyRoles: [] },
};

/** The four kinds of reference records. */
export const REFERENCE_TYPES: readonly ReferenceType[] = [portType, inlandFacilityType, gradeType, companyType];
