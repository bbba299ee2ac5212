import { ServiceError, throwIfInvalid, type Violation } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { DATETIME_FORMS, requestedInstantOf } from '../../model/instant.ts';
import type { Role } from '../../store/statistics/job-fact.ts';
import type { CoveredScope, JobScope } from '../../store/statistics/kept-statistics.ts';
import type { CatalogRecords } from '../catalogs/catalog-records.ts';
import type { Synonyms } from '../catalogs/synonyms.ts';
import type { RequestContext } from '../request/request-context.ts';

/**
 * Jobs by creation time (without a start, those of the year before the end; without an end, until now), and by the records that
 * they name, or synonyms of these.
 */
export type StatisticsRequest = {
  readonly from?: Date | string | null | undefined;
  readonly to?: Date | string | null | undefined;
} & { readonly [role in Role]?: string | null | undefined };

/** The jobs that statistics cover. */
export interface StatisticsScope {
  readonly from: Date;
  readonly to: Date;
  /** Everything written before this time is counted. */
  readonly asOf: Date;
  readonly jobs: CoveredScope;
}

/** The catalog that each filter names a record of. */
const CATALOG_OF: Readonly<Record<Role, string>> = {
  product: 'products',
  vendor: 'vendors',
  vessel: 'transports',
  location: 'locations',
};
const ROLES = Object.keys(CATALOG_OF) as Role[];
/** Matches no jobs. */
const NOWHERE = '';

/** Where the records of a request must be (undefined for any single workspace), and the request's violations so far. */
interface NamedPlace {
  readonly workspace: string | undefined;
  readonly violations: Violation[];
}

/** Determines which jobs statistics cover, and waits briefly until recent writes are counted. */
export class StatisticsScopes {
  readonly #ctx: RequestContext;
  readonly #records: CatalogRecords;
  readonly #synonyms: Synonyms;

  constructor(ctx: RequestContext, records: CatalogRecords, synonyms: Synonyms) {
    this.#ctx = ctx;
    this.#records = records;
    this.#synonyms = synonyms;
  }

  /** INVALID_INPUT for a period that cannot be read or ends before it starts, and for records that are not in one workspace. */
  async check(request: StatisticsRequest): Promise<void> {
    const violations: Violation[] = [];
    this.#period(request, violations);
    await this.#recordsOf(request, { workspace: undefined, violations });
    throwIfInvalid(violations);
  }

  /** INVALID_INPUT for a period that cannot be read or ends before it starts, and for an id that is no record of its catalog. */
  async scope(request: StatisticsRequest, workspace?: string): Promise<StatisticsScope> {
    const violations: Violation[] = [];
    const { from, to } = this.#period(request, violations);
    const { statistics } = this.#ctx.readStores();
    const [asOf, named] = await Promise.all([
      statistics.freshness.asOf(),
      this.#named(request, { workspace, violations }),
    ]);
    throwIfInvalid(violations);
    if (!asOf) throw countedForTheFirstTime();
    const place = await this.#place(workspace ?? named[0]?.record.workspaceId ?? undefined, workspace === undefined);
    const naming = named.map(({ role, ids }) => ({ role, ids }));
    const jobs = await statistics.cover({ ...place, from, to, naming, time: this.#ctx.time });
    return { from, to, asOf, jobs };
  }

  #period({ from, to }: StatisticsRequest, violations: Violation[]): { from: Date; to: Date } {
    const instant = (parameter: string, given: Date | string | null | undefined): Date | undefined => {
      const read = typeof given === 'string' ? requestedInstantOf(given) : (given ?? undefined);
      if (typeof given === 'string' && !read) violations.push({ parameter, message: `must be ${DATETIME_FORMS}.` });
      return read;
    };
    const [asked, until] = [instant('from', from), instant('to', to)];
    const end = until ?? this.#ctx.sources.now();
    const start = asked ?? yearBefore(end);
    if (violations.length === 0 && end <= start) violations.push({ parameter: 'to', message: 'must be after `from`.' });
    return { from: start, to: end };
  }

  async #named(
    request: StatisticsRequest,
    place: NamedPlace,
  ): Promise<{ role: Role; record: Entity; ids: readonly string[] }[]> {
    const named = await this.#recordsOf(request, place);
    if (named.length === 0) return [];
    const groups = await this.#synonyms.groupsOf(named.map(({ record }) => record));
    return named.map((one, index) => ({ ...one, ids: groups[index] ?? [one.record.id] }));
  }

  async #recordsOf(
    request: StatisticsRequest,
    { workspace, violations }: NamedPlace,
  ): Promise<{ role: Role; record: Entity }[]> {
    const asked = ROLES.flatMap((role) => (request[role] ? [{ role, id: request[role].toLowerCase() }] : []));
    const records = await Promise.all(asked.map(({ id }) => this.#records.findVisible(id)));
    const place = workspace ?? records.find((record) => record)?.workspaceId;
    return asked.flatMap(({ role }, index) => {
      const record = records[index];
      const catalog = CATALOG_OF[role];
      if (record?.at('xtype') === catalog && record.workspaceId === place) return { role, record };
      const where = workspace === undefined ? 'one workspace for all filters' : 'the workspace';
      violations.push({
        parameter: role,
        message: `must be the id of a record of the catalog ${catalog} of ${where}.`,
      });
      return [];
    });
  }

  /** A workspace that the tenant has declined is not among all those it sees. */
  async #place(
    workspace: string | undefined,
    amongAll: boolean,
  ): Promise<Pick<JobScope, 'workspace' | 'readers' | 'declined'>> {
    const readers = this.#ctx.tenant;
    if (!amongAll && workspace !== undefined) return { workspace, readers };
    const declined = await this.#ctx.readStores().workspaces.declinedBy(readers);
    if (workspace !== undefined) return { workspace: declined.includes(workspace) ? NOWHERE : workspace, readers };
    return { readers, ...(declined.length > 0 && { declined }) };
  }
}

/** The same day one year earlier in UTC; for 29 February, the 28th. */
function yearBefore(time: Date): Date {
  const before = new Date(time);
  before.setUTCFullYear(time.getUTCFullYear() - 1);
  if (before.getUTCMonth() !== time.getUTCMonth()) before.setUTCDate(0);
  return before;
}

const countedForTheFirstTime = (): ServiceError =>
  new ServiceError(
    'UNAVAILABLE',
    'The jobs of this service are being counted for the first time; statistics are there when that is done. Try again.',
    { headers: { 'Retry-After': '5' } },
  );
