import { LONGEST_CODE } from '../../src/model/reference-data/reference-types.ts';
import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { one, search, upsert } from '../declare/reply.ts';
import {
  fromBody,
  fromBodyOrForm,
  fromIfMatch,
  fromIfMatchOfUpsert,
  fromIfNoneMatch,
  fromJsonArray,
  fromPageSize,
  fromPageStart,
  fromPath,
  fromQuery,
} from '../declare/source.ts';
import { reference } from './family.ts';

/** One of the four collections, with its names in paths and in GraphQL. */
interface Collection {
  /** The last path segment, and the noun in the endpoint ids. */
  readonly path: string;
  /** The noun for summaries, with its article. */
  readonly noun: string;
  readonly article: 'a' | 'an';
  /** The names of the queries for one and for many, and of the type. */
  readonly one: string;
  readonly many: string;
  readonly type: string;
  /** The maximum page size, and the maximum number of codes in a search (interface, "Limits"). */
  readonly most: number;
  /** An alternative path prefix for reading one record. */
  readonly alsoBelow?: string;
  readonly takesForms?: boolean;
}

const clientCode = fromPath('clientCode', 'The code of the record, percent-encoded; not "." or "..".', LONGEST_CODE);

const searchVariables =
  '$first: Int, $offset: Int, $dateModifiedFrom: DateTime, $dateModifiedTo: DateTime, $clientCodes: [String!]';
const searchArguments =
  'first: $first, offset: $offset, dateModifiedFrom: $dateModifiedFrom, dateModifiedTo: $dateModifiedTo, clientCodes: $clientCodes';

/** The endpoints of one collection; all four follow the same pattern. */
function collection(names: Collection): readonly Endpoint[] {
  const { path, noun, article, one: field, many, type, most, alsoBelow, takesForms } = names;
  const id = `reference.${many}`;
  const operation = `Reference${many[0]?.toUpperCase()}${many.slice(1)}`;
  const get = (verb: string, route: `GET /${string}`, summary: string) =>
    endpoint(reference, {
      id: `${id}.${verb}`,
      route,
      summary,
      operation: `query ${operation}${verb[0]?.toUpperCase()}${verb.slice(1)}($clientCode: String!) {
        ${field}(clientCode: $clientCode) { record versionId }
      }`,
      variables: { clientCode },
      reply: one('record', `${type}Body`),
      errors: ['NOT_FOUND'],
    });
  return [
    endpoint(reference, {
      id: `${id}.search`,
      route: `GET /${path}`,
      summary: `Searches the ${path.replace('_', ' ')} of the caller's tenant, by code, including inactive ones.`,
      operation: `query ${operation}Search(${searchVariables}) {
        ${many}(${searchArguments}) { totalCount nodes { summary } }
      }`,
      variables: {
        first: fromPageSize(most),
        offset: fromPageStart(most),
        dateModifiedFrom: fromQuery(
          'dateModifiedFrom',
          'Only records last modified at or after this time. A record can become visible after another one with a later time: to keep a copy up to date, go back five minutes before the newest record you have.',
        ),
        dateModifiedTo: fromQuery(
          'dateModifiedTo',
          'Only records last modified at or before this time; of a date alone, the whole day (UTC).',
        ),
        clientCodes: fromJsonArray('clientCodes', most, 'Only records of these codes.'),
      },
      reply: search('summary', `${type}Body`),
      errors: [],
    }),
    ...(alsoBelow
      ? [
          get(
            'getContact',
            `GET /${path}/${alsoBelow}/{clientCode}`,
            `Returns ${article} ${noun}, with its head office.`,
          ),
        ]
      : []),
    get('get', `GET /${path}/{clientCode}`, `Returns ${article} ${noun}.`),
    endpoint(reference, {
      id: `${id}.put`,
      route: `PUT /${path}/{clientCode}`,
      summary: `Creates ${article} ${noun} (201), or replaces the whole record (200).`,
      operation: `mutation ${operation}Put($clientCode: String!, $body: ${type}Body!, $expectedVersion: [String!], $unlessVersion: [String!]) {
        put${type}(clientCode: $clientCode, body: $body, expectedVersion: $expectedVersion, unlessVersion: $unlessVersion) { created ${field} { record versionId } }
      }`,
      variables: {
        clientCode,
        body: takesForms ? fromBodyOrForm : fromBody(),
        expectedVersion: fromIfMatchOfUpsert,
        unlessVersion: fromIfNoneMatch,
      },
      reply: upsert({ view: 'record', body: `${type}Body`, entity: field, created: 'created' }),
      errors: ['PRECONDITION_FAILED'],
    }),
    endpoint(reference, {
      id: `${id}.delete`,
      route: `DELETE /${path}/{clientCode}`,
      summary: `Sets ${article} ${noun} INACTIVE and returns its status. A later PUT makes it active again.`,
      operation: `mutation ${operation}Delete($clientCode: String!, $expectedVersion: [String!]) {
        deactivate${type}(clientCode: $clientCode, expectedVersion: $expectedVersion) { clientCode statusCode versionId }
      }`,
      variables: { clientCode, expectedVersion: fromIfMatch },
      reply: one({ clientCode: 'clientCode', statusCode: 'statusCode' }),
      errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    }),
  ];
}

const ports: Collection = {
  path: 'ports',
  noun: 'port',
  article: 'a',
  one: 'port',
  many: 'ports',
  type: 'Port',
  most: 200,
};

/** /api/rest/1.0: the four reference catalogs. */
export const records: readonly Endpoint[] = [
  ...collection(ports),
  ...collection({
    ...ports,
    path: 'inland_facilities',
    noun: 'inland facility',
    article: 'an',
    one: 'inlandFacility',
    many: 'inlandFacilities',
    type: 'InlandFacility',
  }),
  ...collection({
    ...ports,
    path: 'grades',
    noun: 'grade',
    one: 'grade',
    many: 'grades',
    type: 'Grade',
    takesForms: true,
  }),
  ...collection({
    ...ports,
    path: 'companies',
    noun: 'company',
    one: 'company',
    many: 'companies',
    type: 'Company',
    most: 100,
    alsoBelow: 'contact',
  }),
];
