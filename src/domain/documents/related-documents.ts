import { throwIfInvalid } from '../../errors.ts';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import type { Entity, PlacedEntity } from '../../model/entity/entity.ts';
import type { RawEntity } from '../../store/entities/read-entity.ts';
import type { User, VoyageFilter } from '../../store/entities/record-users.ts';
import type { RequestContext } from '../request/request-context.ts';
import { rangeViolations } from '../validation/ranges.ts';
import { documentKind } from './document-kind.ts';

/** The most documents read per parent in a batch; more are read as a list. */
const MAX_CHILDREN = 100;
/** The most documents of one type and job that calculations read. */
export const MAX_REPORTED = 1_000;
/** The most measurements of a job's load port information that calculations read. */
export const MAX_MEASURED = 100_000;
/** The average number of documents per parent up to which all of them are read at once. */
const FEW_BELOW = 40;
/** The most jobs of one record that calculations read. */
export const MAX_JOBS_OF_RECORD = 200;
/** The most jobs of one product that its history covers. */
export const MAX_JOBS_OF_PRODUCT = 1_000;

/** The newest `first` documents of a type and parent. */
export interface Children {
  readonly parent: PlacedEntity;
  readonly type: string;
  readonly first: number;
}

/** The vessel of a voyage, and its trip number in lower case. */
export interface TripOfVessel {
  readonly vessel: PlacedEntity;
  readonly trip: string;
}

/** A vessel's voyages of one kind. */
export interface VoyagesOfVessel extends VoyageFilter {
  readonly vessel: PlacedEntity;
}

/** The newest jobs of vessels, and whether there are more. */
export interface SomeJobs {
  readonly jobs: readonly Entity[];
  readonly isMore: boolean;
}

/** Documents read in one batch for a whole page of jobs or records. */
export class RelatedDocuments {
  readonly #ctx: RequestContext;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  /** Throws INVALID_INPUT for a number that cannot be read in one batch per parent or record. */
  checkNumber(first: number): void {
    throwIfInvalid(rangeViolations({ first }, [1, MAX_CHILDREN]));
  }

  /** Like `checkNumber`, for the documents of one type that refer to a record; also rejects an unknown type. */
  checkUsers({ type, first }: { readonly type: string; readonly first: number }): void {
    this.checkNumber(first);
    documentKind(type);
  }

  /** The newest documents of each parent, as many as requested; one query for all parents and types if there are few. */
  async below(asked: readonly Children[]): Promise<Entity[][]> {
    const parents = [...new Map(asked.map(({ parent }) => [parent.id, parent])).values()];
    const types = [...new Set(asked.map(({ type }) => type))];
    const rows = (await this.#few(parents, types)) ?? (await this.#newest(parents, types, asked));
    const found = Map.groupBy(rows, ({ type, parentId }) => `${type} ${parentId}`);
    return asked.map(({ parent, type, first }) => (found.get(`${type} ${parent.id}`) ?? []).slice(0, first));
  }

  /** All documents of the parents by one index query; undefined if there are so many that most would be read in vain. */
  #few(parents: readonly PlacedEntity[], types: readonly string[]): Promise<RawEntity[] | undefined> {
    const match = { type: types, readers: this.#ctx.tenant };
    const { documents } = this.#ctx.readStores();
    return this.#ctx.rows.read(
      () => documents.allBelow(parents, match, { limit: parents.length * FEW_BELOW, ...this.#ctx.time }),
      (found) => found ?? [],
    );
  }

  async #newest(parents: readonly PlacedEntity[], types: readonly string[], asked: readonly Children[]) {
    const ids = parents.map(({ id }) => id);
    const lists = types.map((type) => {
      const limit = Math.max(...asked.filter((one) => one.type === type).map(({ first }) => first));
      const match = { type, readers: this.#ctx.tenant };
      const { documents } = this.#ctx.readStores();
      return this.#ctx.rows.read(() => documents.below(ids, match, { limit, ...this.#ctx.time }), AS_FOUND);
    });
    return (await Promise.all(lists)).flat();
  }

  /** The newest jobs that refer to each record, up to the limit of calculations. */
  jobsOf(records: readonly PlacedEntity[]): Promise<Entity[][]> {
    return this.#users(records, JOB_TYPE, MAX_JOBS_OF_RECORD);
  }

  /** The newest jobs of each product, for their reports: the jobs' own contents are not read. */
  async jobsOfProducts(products: readonly PlacedEntity[]): Promise<Entity[][]> {
    const scope = { workspaces: workspacesOf(products), readers: this.#ctx.tenant };
    const window = { limit: MAX_JOBS_OF_PRODUCT, ...this.#ctx.time };
    const rows = await this.#ctx.readStores().recordUsers.ofProducts(idsOf(products), scope, window);
    return usersIn(rows, products);
  }

  /** The newest voyages of each vessel, up to the limit of calculations; one query for all. */
  async voyagesOf(asked: readonly VoyagesOfVessel[]): Promise<SomeJobs[]> {
    const vessels = asked.map(({ vessel }) => vessel);
    const questions = [...Map.groupBy(asked, ({ kind, isDone }) => `${kind} ${isDone}`).values()].map((some) => {
      const [{ kind, isDone }] = some as [VoyagesOfVessel];
      return { kind, isDone, some, records: some.map(({ vessel }) => vessel) };
    });
    const scope = { workspaces: workspacesOf(vessels), readers: this.#ctx.tenant };
    const { recordUsers } = this.#ctx.readStores();
    const kinds = questions.map(({ kind, isDone, records }) => ({ kind, isDone, records: idsOf(records) }));
    const limit = MAX_JOBS_OF_RECORD + 1;
    const lists = await this.#ctx.rows.read(
      () => recordUsers.voyages(kinds, scope, { limit, ...this.#ctx.time }),
      (found) => found.flatMap(usersOnly),
    );
    const found = new Map<VoyagesOfVessel, SomeJobs>();
    for (const [index, { some, records }] of questions.entries()) {
      const jobs = someOf(lists[index] ?? [], records, MAX_JOBS_OF_RECORD);
      for (const [at, one] of some.entries()) found.set(one, jobs[at] as SomeJobs);
    }
    return asked.map((one) => found.get(one) as SomeJobs);
  }

  /** The loadings and discharges of the vessel for each trip, by one query; may include those of other trips. */
  async jobsOfTrips(asked: readonly TripOfVessel[]): Promise<SomeJobs[]> {
    const trips = [...new Set(asked.map(({ trip }) => trip))];
    const vessels = [...new Map(asked.map(({ vessel }) => [vessel.id, vessel])).values()];
    const limit = MAX_JOBS_OF_RECORD * trips.length;
    const scope = { workspaces: workspacesOf(vessels), readers: this.#ctx.tenant, trips };
    const { recordUsers } = this.#ctx.readStores();
    const rows = await this.#ctx.rows.read(
      () => recordUsers.onTrips(idsOf(vessels), scope, { limit: limit + 1, ...this.#ctx.time }),
      usersOnly,
    );
    return someOf(
      rows,
      asked.map(({ vessel }) => vessel),
      limit,
    );
  }

  /** The newest documents of one type that refer to each record, by one query. */
  async usersOf(records: readonly PlacedEntity[], type: string, first: number): Promise<Entity[][]> {
    this.checkUsers({ type, first });
    return this.#users(records, documentKind(type).type.name, first);
  }

  async #users(records: readonly PlacedEntity[], type: string, limit: number): Promise<Entity[][]> {
    const scope = { workspaces: workspacesOf(records), type, readers: this.#ctx.tenant };
    const { recordUsers } = this.#ctx.readStores();
    const rows = await this.#ctx.rows.read(
      () => recordUsers.newest(idsOf(records), scope, { limit, ...this.#ctx.time }),
      usersOnly,
    );
    return usersIn(rows, records);
  }
}

const AS_FOUND = (found: readonly RawEntity[]): readonly RawEntity[] => found;

const usersOnly = (rows: readonly User[]): RawEntity[] => rows.map(({ user }) => user);

/** The users of each of the records. */
function usersIn(rows: readonly User[], records: readonly PlacedEntity[]): Entity[][] {
  const found = Map.groupBy(rows, ({ record }) => record);
  return records.map(({ id }) => (found.get(id) ?? []).map(({ user }) => user));
}

/** Like `usersIn`, for reads of one more than the limit, to tell whether there are more. */
const someOf = (rows: readonly User[], records: readonly PlacedEntity[], limit: number): SomeJobs[] =>
  usersIn(rows, records).map((jobs) => ({ jobs: jobs.slice(0, limit), isMore: jobs.length > limit }));

const idsOf = (records: readonly PlacedEntity[]): string[] => records.map(({ id }) => id);

const workspacesOf = (records: readonly PlacedEntity[]): (string | null)[] => [
  ...new Set(records.map(({ workspaceId }) => workspaceId)),
];
