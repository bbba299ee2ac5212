import { invalidInput } from '../../errors.ts';
import type { Entity, Version } from '../../model/entity/entity.ts';
import { isTenantPartition, tenantPartition } from '../../model/entity/partition.ts';
import type { Principal } from '../../model/principal.ts';
import type { RequestContext } from '../request/request-context.ts';

/** Which versions of an entity are asked for: the newest `first`, of those before a number where one is named. */
export interface VersionWindow {
  readonly first: number;
  readonly before?: number | null | undefined;
}

/** The versions of one entity that are asked for. */
export interface Asked extends VersionWindow {
  readonly entity: Entity;
}

const MAX_VERSIONS = 1_000;

/** What entities were, and who changed them. */
export class History {
  readonly #ctx: RequestContext;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  /** Versions of entities that the caller was shown, newest first, each with the one before it; one call for all. */
  async versionsOf(asked: readonly Asked[]): Promise<Version[][]> {
    const spans = asked.map(spanOf);
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
      const bodyOf = (number: number) => (number === entity.revision ? entity.content() : old.get(number)?.body);
      const versions: Version[] = [];
      for (let number = to; number >= from; number--) {
        const body = bodyOf(number);
        if (body) versions.push({ ...headOf(entity, old.get(number), number), body, before: bodyOf(number - 1) });
      }
      return versions;
    });
  }

  /** What a job was before it was placed in a workspace stays with the tenant that made it (contract §7). */
  #sees({ workspace }: { readonly workspace: string | null }): boolean {
    return workspace === null || !isTenantPartition(workspace) || workspace === tenantPartition(this.#ctx.tenant);
  }

  /** Who made a change, for those who may see what was changed; undefined for others, and for those of tokens. */
  async principals(ids: readonly string[]): Promise<(Principal | undefined)[]> {
    const found = await this.#ctx.readStores().principals.named(ids);
    const byId = new Map(found.map((principal) => [principal.id, principal]));
    return ids.map((id) => byId.get(id));
  }

  /** Tells whether the caller may know a principal that changed an entity of these readers. */
  knows({ tenant }: Principal, readers: readonly string[]): boolean {
    return tenant === this.#ctx.tenant || readers.includes(this.#ctx.tenant);
  }
}

interface Span {
  readonly entity: Entity;
  readonly from: number;
  readonly to: number;
}

function spanOf({ entity, first, before }: Asked): Span {
  if (first < 1 || first > MAX_VERSIONS) {
    throw invalidInput([{ parameter: 'first', message: `must be from 1 to ${MAX_VERSIONS}.` }]);
  }
  const to = Math.min(entity.revision, (before ?? Number.POSITIVE_INFINITY) - 1);
  return { entity, from: Math.max(1, to - first + 1), to };
}

/** What a version says of itself: the current one is the entity. */
function headOf(
  entity: Entity,
  old: { readonly _id: string; readonly modified_by: string; readonly modified_at: Date } | undefined,
  revision: number,
) {
  const { readers } = entity;
  return old && revision !== entity.revision
    ? { versionId: old._id, revision, modifiedBy: old.modified_by, modifiedAt: old.modified_at, readers }
    : { versionId: entity.versionId, revision, modifiedBy: entity.modifiedBy, modifiedAt: entity.modifiedAt, readers };
}
