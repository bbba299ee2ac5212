import { setImmediate } from 'node:timers/promises';
import DataLoader from 'dataloader';
import type { Entity, PlacedEntity, Version } from '../../model/entity/entity.ts';
import { type FieldChange, fieldChanges } from '../../model/entity/field-changes.ts';
import type { Principal } from '../../model/principal.ts';
import type { RawJson } from '../../model/raw-json.ts';
import {
  MAX_REPORTED,
  type SomeJobs,
  type TripOfVessel,
  type VoyagesOfVessel,
} from '../documents/related-documents.ts';
import type { Domain } from '../domain.ts';
import type { VersionBody, VersionsRequest, VersionWindow } from '../versions/history.ts';
import { ChildLists, type Needs } from './child-lists.ts';
import { LoadedRecords } from './loaded-records.ts';

/** After a comparison of versions that took this many milliseconds, yields to the event loop. */
const LONG_MS = 5;

/** Which documents below a parent a field shows. */
export interface ChildrenRequest {
  readonly type: string;
  readonly first: number;
  /** The records that the items need, to be loaded before they are resolved. */
  readonly needs?: Needs | undefined;
}

/** Related entities of one request, read in batches: a page of any size costs one call per kind of relation. */
export class Loaders {
  readonly #domain: Domain;
  readonly #organizations = new Map<string, Promise<Entity | undefined>>();
  readonly #workspaces = new Map<string, Promise<Entity | undefined>>();
  readonly #documents = new Map<string, Promise<Entity | undefined>>();
  readonly #records: LoadedRecords;
  readonly #children: ChildLists;
  #synonyms: DataLoader<PlacedEntity, readonly string[], string> | undefined;
  #groups: DataLoader<PlacedEntity, readonly string[], string> | undefined;
  readonly #groupsAsked = new Map<string, Promise<readonly string[]>>();
  readonly #synonymsAsked = new Map<string, Promise<Entity[]>>();
  readonly #attachments = new Map<number, DataLoader<string, Entity[]>>();
  readonly #dataApiBodies = new WeakMap<Entity, Promise<RawJson>>();
  #dataApiShown: DataLoader<Entity, RawJson> | undefined;
  #jobs: DataLoader<PlacedEntity, Entity[], string> | undefined;
  #ofProducts: DataLoader<PlacedEntity, Entity[], string> | undefined;
  #trips: DataLoader<TripOfVessel, SomeJobs, string> | undefined;
  #voyages: DataLoader<VoyagesOfVessel, SomeJobs, string> | undefined;
  readonly #users = new Map<string, DataLoader<PlacedEntity, Entity[], string>>();
  #versions: DataLoader<VersionsRequest, Version[], string> | undefined;
  #bodies: DataLoader<string, VersionBody> | undefined;
  /** By the ids of both versions. The garbage collector may drop those that are not in use: together they may be larger than the versions. */
  readonly #changes = new Map<string, WeakRef<Promise<FieldChange[]>>>();
  /** Settles when the last requested comparison of versions has ended. */
  #compared: Promise<unknown> = Promise.resolve();
  #principals: DataLoader<string, Principal | undefined> | undefined;

  constructor(domain: Domain) {
    this.#domain = domain;
    this.#records = new LoadedRecords(() => domain.catalogRecords);
    this.#children = new ChildLists({
      below: (asked) => domain.relatedDocuments.below(asked),
      readRecords: (ids) => this.#records.readTogether(ids),
    });
  }

  organization(id: unknown): Promise<Entity | undefined> | undefined {
    return remembered(this.#organizations, id, (wanted) => this.#domain.organizations.findVisible(wanted));
  }

  workspace(id: unknown): Promise<Entity | undefined> | undefined {
    return remembered(this.#workspaces, id, (wanted) => this.#domain.workspaces.findVisible(wanted));
  }

  document(id: unknown): Promise<Entity | undefined> | undefined {
    return remembered(this.#documents, id, (wanted) => this.#domain.documents.findVisible(wanted));
  }

  catalogRecord(id: unknown): Promise<Entity | undefined> | Entity | undefined {
    return this.#records.one(id);
  }

  /** The records of a list of references, without missing ones. */
  catalogRecords(ids: unknown): Promise<Entity[]> | Entity[] {
    return this.#records.many(ids);
  }

  /** Prefetches records in one batch; undefined if all are loaded. */
  readRecords(ids: ReadonlySet<string>): Promise<unknown> | undefined {
    return this.#records.readTogether(ids);
  }

  /** Prefetches the records shown by the last answer to a question, before it is known whether this answer shows them. */
  readRecordsAhead(question: string): void {
    const ids = this.#domain.recordsShownLately(question);
    if (ids) this.#records.readTogether(new Set(ids)); // it does not reject
  }

  /** Loads the records that the answer to a question shows, and remembers them. */
  readRecordsOf(question: string, ids: ReadonlySet<string>): Promise<unknown> | undefined {
    this.#domain.rememberShown(question, ids);
    return this.readRecords(ids);
  }

  /** The records linked to a record as its synonyms. */
  synonyms(record: Entity): Promise<Entity[]> {
    let asked = this.#synonymsAsked.get(record.id);
    if (!asked) {
      asked = this.#synonymsOf(record);
      this.#synonymsAsked.set(record.id, asked);
    }
    return asked;
  }

  async #synonymsOf(record: Entity): Promise<Entity[]> {
    await this.#groupsAsked.get(record.id); // which also loads the links
    return this.catalogRecords(await this.#linked().load(record));
  }

  /** All records connected to a record by links, including itself. */
  async synonymGroup(record: Entity): Promise<Entity[]> {
    return this.catalogRecords(await this.synonymIds(record));
  }

  /** The ids of that group, in order. */
  synonymIds(record: PlacedEntity): Promise<readonly string[]> {
    this.#groups ??= new DataLoader((records) => this.#groupsOf(records), {
      cacheKeyFn: idOf,
      cacheMap: this.#groupsAsked,
    });
    return this.#groups.load(record);
  }

  #linked(): DataLoader<PlacedEntity, readonly string[], string> {
    this.#synonyms ??= new DataLoader((records) => this.#domain.synonyms.linkedTo(records), { cacheKeyFn: idOf });
    return this.#synonyms;
  }

  /** Loads groups and primes the links, so that these need not be queried again. */
  async #groupsOf(records: readonly PlacedEntity[]): Promise<(readonly string[])[]> {
    const groups = await this.#domain.synonyms.linkedGroupsOf(records);
    const links = this.#linked();
    for (const [index, record] of records.entries()) links.prime(record, groups[index]?.linked ?? []);
    return groups.map(({ ids }) => ids);
  }

  /** The newest `first` documents of one type below a parent, 1 to 100. */
  children(parent: Entity, { type, first, needs }: ChildrenRequest): Promise<Entity[]> {
    this.#domain.relatedDocuments.checkNumber(first);
    return this.#children.list({ parent, type, first }, needs);
  }

  /** The newest reports of one type for a job, at most one more than calculations read. */
  reported(job: Entity, type: string): Promise<Entity[]> {
    return this.#children.list({ parent: job, type, first: MAX_REPORTED + 1 });
  }

  /** The body of a job as the Data API shows it; one for all its occurrences, kept as long as the job, since lists may be long. */
  dataApiBody(job: Entity): Promise<RawJson> {
    let asked = this.#dataApiBodies.get(job);
    if (!asked) {
      this.#dataApiShown ??= new DataLoader((jobs) => this.#domain.dataApiJobs.bodiesOf(jobs), { cache: false });
      asked = this.#dataApiShown.load(job);
      this.#dataApiBodies.set(job, asked);
    }
    return asked;
  }

  /** The newest jobs that refer to a record, up to the limit of calculations. */
  jobsOf(record: PlacedEntity): Promise<Entity[]> {
    this.#jobs ??= new DataLoader((records) => this.#domain.relatedDocuments.jobsOf(records), { cacheKeyFn: idOf });
    return this.#jobs.load(record);
  }

  /** The newest jobs of a product, for their reports: the jobs' own contents are not read. */
  jobsOfProduct(product: PlacedEntity): Promise<Entity[]> {
    this.#ofProducts ??= new DataLoader((products) => this.#domain.relatedDocuments.jobsOfProducts(products), {
      cacheKeyFn: idOf,
    });
    return this.#ofProducts.load(product);
  }

  /** A vessel's newest voyages of one kind, up to the limit of calculations. */
  voyagesOf(asked: VoyagesOfVessel): Promise<SomeJobs> {
    this.#voyages ??= new DataLoader((some) => this.#domain.relatedDocuments.voyagesOf(some), {
      cacheKeyFn: ({ vessel, kind, isDone }) => `${vessel.id} ${kind} ${isDone}`,
    });
    return this.#voyages.load(asked);
  }

  /** The loadings and discharges of a vessel on a trip; may include those of other trips. */
  jobsOfTrip(asked: TripOfVessel): Promise<SomeJobs> {
    this.#trips ??= new DataLoader((trips) => this.#domain.relatedDocuments.jobsOfTrips(trips), {
      cacheKeyFn: ({ vessel, trip }) => `${vessel.id} ${trip}`,
    });
    return this.#trips.load(asked);
  }

  /** Versions of an entity, newest first. */
  versions(entity: Entity, { first, before }: VersionWindow): Promise<Version[]> {
    this.#versions ??= new DataLoader((asked) => this.#domain.history.versionsOf(asked), {
      cacheKeyFn: (asked) => `${asked.entity.versionId} ${asked.first} ${asked.before}`,
    });
    return this.#versions.load({ entity, first, before });
  }

  /** The body of a version. */
  async versionBody({ versionId, entity }: Version): Promise<RawJson> {
    return (await this.#bodyOf(entity, versionId)).body;
  }

  /** The differences of a version from the previous one; computed one version at a time, since each may be as large as a body. */
  versionChanges({ versionId, previousId, entity }: Version): Promise<FieldChange[]> {
    const ids = previousId === undefined ? [versionId] : [versionId, previousId];
    const key = ids.join(' ');
    const known = this.#changes.get(key)?.deref();
    if (known) return known;
    const bodies = Promise.all(ids.map((id) => this.#bodyOf(entity, id)));
    let took = 0;
    const changes = Promise.all([bodies, this.#compared]).then(([[after, before]]) => {
      const began = performance.now();
      const found = fieldChanges(before?.content(), after?.content() ?? {});
      took = performance.now() - began;
      return found;
    });
    this.#compared = changes.then(
      () => (took > LONG_MS ? setImmediate() : undefined),
      () => undefined,
    );
    this.#changes.set(key, new WeakRef(changes));
    return changes;
  }

  #bodyOf(entity: Entity, versionId: string): Promise<VersionBody> {
    if (versionId === entity.versionId) return Promise.resolve(entity);
    this.#bodies ??= new DataLoader((ids) => this.#domain.history.bodiesOf(ids));
    return this.#bodies.load(versionId);
  }

  /** Who made a version, if the caller may know. */
  async modifier({ modifiedBy, entity: { readers } }: Version): Promise<Principal | undefined> {
    this.#principals ??= new DataLoader((ids) => this.#domain.history.principals(ids));
    const principal = await this.#principals.load(modifiedBy);
    return principal && this.#domain.history.knows(principal, readers) ? principal : undefined;
  }

  /** The newest `first` documents of one type that refer to a record. */
  usedBy(record: PlacedEntity, type: string, first: number): Promise<Entity[]> {
    const kind = `${type} ${first}`;
    const loader =
      this.#users.get(kind) ??
      new DataLoader(
        (records: readonly PlacedEntity[]) => this.#domain.relatedDocuments.usersOf(records, type, first),
        {
          cacheKeyFn: idOf,
        },
      );
    this.#users.set(kind, loader);
    return loader.load(record);
  }

  /** The newest `first` attachments of a document. */
  attachments(document: Entity, first: number): Promise<Entity[]> {
    const loader =
      this.#attachments.get(first) ?? new DataLoader((ids) => this.#domain.attachments.newestOf(ids, first));
    this.#attachments.set(first, loader);
    return loader.load(document.id);
  }
}

/** Requests each id once; the store batches the requests of one turn, so nothing is batched here. */
function remembered(
  known: Map<string, Promise<Entity | undefined>>,
  id: unknown,
  look: (id: string) => Promise<Entity | undefined>,
): Promise<Entity | undefined> | undefined {
  if (typeof id !== 'string') return undefined;
  let asked = known.get(id);
  if (!asked) {
    asked = look(id);
    known.set(id, asked);
  }
  return asked;
}

const idOf = ({ id }: PlacedEntity): string => id;
