import { BSONRegExp, type Db, type Document } from 'mongodb';
import { JOB_TYPE, LONGEST_TRIP, VOYAGES, type VoyageKind } from '../../model/document-types/job.ts';
import { AGGREGATE_ROWS } from '../batching/find-command.ts';
import { literally } from '../lists/text-pattern.ts';
import type { TimeLimit } from './query.ts';
import type { RawEntity } from './read-entity.ts';
import { readAll } from './row-reader.ts';

/** A document that refers to a record. */
export interface User {
  readonly record: string;
  readonly user: RawEntity;
}

/** The most documents per record, with a time limit. */
type NewestOfEach = TimeLimit & { readonly limit: number };

/** Loadings or discharges: either those that may have taken place, or those in progress or cancelled. */
export interface VoyageFilter {
  readonly kind: VoyageKind;
  readonly isDone: boolean;
}

/** Where a job names its vessels. */
export const VESSELS = 'body.transports';

const UNDER_WAY_OR_OFF = ['pending', 'active', 'cancelled'];

/** The filter for such jobs; the index `voyages` covers it. The Data API's status is free text: any other counts as done. */
export const voyageFilter = ({ kind, isDone }: VoyageFilter) => ({
  type: JOB_TYPE,
  'body.activity': kind,
  'body.status': isDone ? { $nin: UNDER_WAY_OR_OFF } : { $in: UNDER_WAY_OR_OFF },
});

/** Asks for voyages of one kind of some vessels. */
interface VoyagesAsked extends VoyageFilter {
  readonly records: readonly string[];
}

/** Documents in some workspaces. */
interface WorkspaceScope {
  readonly workspaces: readonly (string | null)[];
  readonly readers: string;
}

/** Documents of one type. */
interface UserScope extends WorkspaceScope {
  readonly type: string;
}

/** Jobs of some trips. */
interface TripScope extends WorkspaceScope {
  /** In lower case and trimmed; beyond `LONGEST_TRIP` characters, only the beginning is sought. */
  readonly trips: readonly string[];
}

/** The documents that refer to records. */
export class RecordUsers {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The newest documents of one type that refer to each record, with the record's id. */
  async newest(records: readonly string[], { type, ...scope }: UserScope, window: NewestOfEach): Promise<User[]> {
    const [found = []] = await this.#newest([{ records, field: 'refs', match: { type, ...visible(scope) } }], window);
    return found;
  }

  /** The newest voyages of each vessel, one list per question, in a single command. */
  voyages(asked: readonly VoyagesAsked[], scope: WorkspaceScope, window: NewestOfEach): Promise<User[][]> {
    const parts = asked.map(({ records, ...of }) => ({
      ...{ records, field: VESSELS, match: { ...visible(scope), ...voyageFilter(of) } },
    }));
    return this.#newest(parts, window);
  }

  /** The newest loadings and discharges of each vessel that may be on any of the trips, however their numbers are written. */
  async onTrips(records: readonly string[], { trips, ...scope }: TripScope, window: NewestOfEach): Promise<User[]> {
    const match = {
      ...{ ...visible(scope), type: JOB_TYPE },
      ...{ 'body.activity': { $in: [...VOYAGES] }, 'body.tripNumber': { $in: trips.flatMap(spellingsOfTrip) } },
    };
    const [found = []] = await this.#newest([{ records, field: VESSELS, match }], window);
    return found;
  }

  /** The newest jobs of each product, with only where and when they were created. */
  async ofProducts(products: readonly string[], scope: WorkspaceScope, window: NewestOfEach): Promise<User[]> {
    const part = {
      ...{ records: products, field: 'refs', only: { workspace: 1, type: 1, readers: 1, created_at: 1 } },
      match: { ...visible(scope), type: JOB_TYPE, $expr: { $eq: ['$body.cargo.product', '$$record'] } },
    };
    const [found = []] = await this.#newest([part], window);
    return found;
  }

  async #newest(parts: readonly Part[], { limit, ...time }: NewestOfEach): Promise<User[][]> {
    const [first = [], ...others] = parts.map((part, index) => stagesOf(part, index, limit));
    const stages = [...first, ...others.map((pipeline) => ({ $unionWith: { coll: 'catalog_records', pipeline } }))];
    const options = { ...time, ...AGGREGATE_ROWS, batchSize: 1_000 };
    const users = await readAll(this.#db.collection<{ _id: string }>('catalog_records').aggregate(stages, options));
    const found = Map.groupBy(users, (user) => user.stored('part'));
    return parts.map((_, index) =>
      (found.get(index) ?? []).map((user) => ({ record: String(user.stored('referred')), user })),
    );
  }
}

/** The documents that name a record in a field. */
interface NamedIn {
  readonly field: string;
  readonly match: Document;
  /** The members to read; all by default. */
  readonly only?: Document;
}

/** The same for some records. */
interface Part extends NamedIn {
  readonly records: readonly string[];
}

/** The initial stages of an aggregation over some catalog records, reading only their ids. */
export const onlyRecords = (records: readonly string[]): Document[] => [
  { $match: { _id: { $in: [...records] } } },
  { $project: { _id: 1 } },
];

/** The source collection, the limit per record, and the output field. */
interface NewestNamedIn extends NamedIn {
  readonly from: string;
  readonly limit: number;
  readonly as: string;
}

/** The stage that adds each record's newest referring documents from a collection. */
export const newestOfEach = ({ from, field, match, only, limit, as }: NewestNamedIn): Document => ({
  $lookup: {
    from,
    localField: '_id',
    foreignField: field,
    let: { record: '$_id' },
    pipeline: [
      { $match: match },
      { $sort: { created_at: -1, _id: 1 } },
      { $limit: limit },
      ...(only ? [{ $project: only }] : []),
    ],
    as,
  },
});

const stagesOf = ({ records, ...part }: Part, number: number, limit: number): Document[] => [
  ...onlyRecords(records),
  newestOfEach({ ...part, from: 'documents', limit, as: 'found' }),
  { $unwind: '$found' },
  { $replaceRoot: { newRoot: { $mergeObjects: ['$found', { referred: '$_id', part: { $literal: number } }] } } },
];

const visible = ({ workspaces, readers }: WorkspaceScope) => ({ workspace: { $in: [...workspaces] }, readers });

/** The texts that may denote this trip, and the number if it is one; a very long trip is searched by its beginning: MongoDB accepts expressions of 32 KiB. */
function spellingsOfTrip(trip: string): (BSONRegExp | number)[] {
  const characters = [...trip];
  const sought = inAnyCase(characters.slice(0, LONGEST_TRIP).join(''));
  const end = characters.length > LONGEST_TRIP ? '' : `${SPACES}$`;
  const isNumber = String(Number(trip)) === trip;
  return [new BSONRegExp(`^${SPACES}${sought}${end}`, 'i'), ...(isNumber ? [Number(trip)] : [])];
}

/** At least everything JavaScript's `trim` removes. */
const SPACES = '[\\s\\p{Z}\\x{FEFF}]*';

/**
 * A case-insensitive pattern for a lower-case text. MongoDB maps fewer letters to upper case than JavaScript, and none that
 * consist of two characters.
 */
const inAnyCase = (text: string): string =>
  literally(text).replace(/i\u0307|\P{ASCII}/gu, (small) => {
    const capital = small === 'i\u0307' ? '\u0130' : small.toUpperCase();
    return capital === small ? small : `(?:${small}|${capital})`;
  });
