import { notFound, throwIfInvalid } from '../../errors.ts';
import type { Entity, Version } from '../../model/entity/entity.ts';
import { isTenantPartition, tenantPartition } from '../../model/entity/partition.ts';
import type { Principal } from '../../model/principal.ts';
import type { RequestContext } from '../request/request-context.ts';
import { rangeViolations } from '../validation/ranges.ts';

/** The requested range of versions: the newest `first`, optionally below a number. */
export interface VersionWindow {
  readonly first: number;
  readonly before?: number | null | undefined;
}

/** The requested versions of one entity. */
export interface VersionsRequest extends VersionWindow {
  readonly entity: Entity;
}

/** The body of a version, as JSON text or as an object. */
export type VersionBody = Pick<Entity, 'body' | 'content'>;

const MAX_VERSIONS = 1_000;

/** Previous versions of entities, and who made them. */
export class History {
  readonly #ctx: RequestContext;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  /** Throws INVALID_INPUT for an invalid range. */
  checkWindow(window: VersionWindow): void {
    refuseWindow(window);
  }

  /** Versions of entities that the caller has read, newest first; one query for all. */
  async versionsOf(requests: readonly VersionsRequest[]): Promise<Version[][]> {
    const spans = requests.map(spanOf);
    const superseded = spans.flatMap(({ entity, from, to }) => {
      const range = { entity: entity.id, from: from - 1, to: Math.min(to, entity.revision - 1) };
      return range.to > 0 && range.from <= range.to ? [range] : [];
    });
    const versions = await this.#ctx.readStores().versions.find(superseded, this.#ctx.time);
    const found = Map.groupBy(
      versions.filter((version) => this.#sees(version)),
      ({ entity }) => entity,
    );
    return spans.map(({ entity, from, to }) => {
      const old = new Map((found.get(entity.id) ?? []).map((version) => [version.revision, version]));
      const headAt = (number: number) => (number === entity.revision ? headOf(entity) : old.get(number));
      const versions: Version[] = [];
      for (let number = to; number >= from; number--) {
        const head = headAt(number);
        if (head) versions.push(versionOf(entity, head, old.get(number - 1)?._id));
      }
      return versions;
    });
  }

  /** The bodies of superseded versions that the caller has found, by id; TOO_LARGE if the request holds too much. */
  async bodiesOf(ids: readonly string[]): Promise<(VersionBody | Error)[]> {
    const bodies = await this.#ctx.readStores().versions.withBodies(ids);
    return bodies.map((body, index) => {
      if (!body) return notFound('version', String(ids[index])); // it has just expired
      this.#ctx.hold(body.byteLength);
      return body;
    });
  }

  /** Versions of a job from before its placement in a workspace remain visible only to the tenant that created it (contract §7). */
  #sees({ workspace }: { readonly workspace: string | null }): boolean {
    return workspace === null || !isTenantPartition(workspace) || workspace === tenantPartition(this.#ctx.tenant);
  }

  /** The principals with these ids, for callers who may see their changes; undefined for unknown ids and for tokens. */
  async principals(ids: readonly string[]): Promise<(Principal | undefined)[]> {
    const found = await this.#ctx.readStores().principals.named(ids);
    const byId = new Map(found.map((principal) => [principal.id, principal]));
    return ids.map((id) => byId.get(id));
  }

  /** Whether the caller may see a principal that changed an entity with these readers. */
  knows({ tenant }: Principal, readers: readonly string[]): boolean {
    return tenant === this.#ctx.tenant || readers.includes(this.#ctx.tenant);
  }
}

interface Span {
  readonly entity: Entity;
  readonly from: number;
  readonly to: number;
}

function refuseWindow({ first }: VersionWindow): void {
  throwIfInvalid(rangeViolations({ first }, [1, MAX_VERSIONS]));
}

function spanOf({ entity, first, before }: VersionsRequest): Span {
  refuseWindow({ first });
  const to = Math.min(entity.revision, (before ?? Number.POSITIVE_INFINITY) - 1);
  return { entity, from: Math.max(1, to - first + 1), to };
}

/** The current version in the form that `versions` has for superseded ones. */
const headOf = (entity: Entity) => ({
  _id: entity.versionId,
  revision: entity.revision,
  modified_by: entity.modifiedBy,
  modified_at: entity.modifiedAt,
});

const versionOf = (entity: Entity, head: ReturnType<typeof headOf>, previousId: string | undefined): Version => ({
  versionId: head._id,
  revision: head.revision,
  modifiedBy: head.modified_by,
  modifiedAt: head.modified_at,
  entity,
  previousId,
});
