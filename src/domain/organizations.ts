import { notFound, ServiceError, throwIfInvalid, type Violation } from '../errors.ts';
import type { Entity, StoredOrganization } from '../model/entity/entity.ts';
import { organizationType } from '../model/entity/entity-types.ts';
import { organizationKeys, visibleKey } from '../model/entity/organization-keys.ts';
import { fieldsOf } from '../model/fields/fields.ts';
import { partLetter, soughtParts } from '../model/fields/text-parts.ts';
import { whereTableOf } from '../model/fields/where-table.ts';
import { type JsonObject, sameJson } from '../model/json.ts';
import { normalForm } from '../model/normal-form.ts';
import { duplicateKeyIndex } from '../store/duplicate-key.ts';
import { WrittenEntity } from '../store/entities/read-entity.ts';
import { UNIQUE } from '../store/indexes/indexes.ts';
import { eraseTraced } from './deletion/erase-traced.ts';
import type { FieldFilter } from './lists/filters.ts';
import type { ListRequest } from './lists/list-request.ts';
import { checkPage, type Page, readPage } from './lists/page.ts';
import { lengthViolations } from './lists/text-length.ts';
import type { RequestContext } from './request/request-context.ts';
import { patched } from './validation/body-shape.ts';
import { validatorOf } from './validation/validators.ts';
import {
  checkVersion,
  createIdempotently,
  type Expectation,
  firstVersion,
  nextVersion,
  retryOnConflict,
} from './versions/versions.ts';

/** What a deletion expects; `decline` also declines workspaces that others opened and that were never accepted. */
interface OrganizationRemoval extends Expectation {
  readonly decline?: boolean | null | undefined;
}

/** `nameContains` matches part of the name, ignoring letter case; an empty one matches only the empty name (contract §13). */
export interface OrganizationListRequest extends ListRequest {
  readonly nameContains?: string | null | undefined;
}

const validator = validatorOf(organizationType);
const fields = fieldsOf(organizationType.schema);
const where = whereTableOf(organizationType);
const NAME_INDEXES = new Set<string | undefined>([UNIQUE.organizationName, UNIQUE.organizationVisibleName]);
const NAME_PARTS = partLetter(organizationType.name, 'name') ?? '';

/** The registry of parties (interface, "Organization"): everyone may find an organization, only its tenant may change it. */
export class Organizations {
  readonly #ctx: RequestContext;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  async get(id: string): Promise<Entity> {
    const found = await this.#ctx.readStores().organizations.findOne({ _id: id });
    if (!found) throw notFound('organization', id);
    return found;
  }

  /** The organization with this id, if any; visible to everyone. */
  findVisible(id: string): Promise<Entity | undefined> {
    return this.#ctx.readStores().organizations.byId(id);
  }

  /** Throws INVALID_INPUT for invalid list arguments. */
  checkList(request: OrganizationListRequest): void {
    throwIfInvalid(lengthViolations({ nameContains: request.nameContains }));
    checkPage({ fields, where }, request);
  }

  async list(request: OrganizationListRequest): Promise<Page> {
    throwIfInvalid(lengthViolations({ nameContains: request.nameContains }));
    const text = request.nameContains && normalForm(request.nameContains).toLowerCase();
    const containing = text ? { stored: 'name_key', text, sought: soughtParts(NAME_PARTS, text) } : undefined;
    const { organizations } = this.#ctx.readStores();
    const asked = request.nameContains === '' ? withFilter(request, { field: 'name', anyOf: [''] }) : request;
    return readPage(this.#ctx, { collection: organizations, fields, where, scope: {}, containing }, asked);
  }

  /** The organization belongs to the caller's tenant, whatever audience the body names. NAME_TAKEN if the name exists. */
  async create(body: JsonObject): Promise<Entity> {
    const stores = this.#ctx.writeStores();
    throwIfInvalid([...validator.violations(withoutAudience(body), true), ...unseenName(body)]);
    const id = this.#ctx.sources.newId();
    const envelope = firstVersion(this.#ctx, {
      id,
      type: organizationType.name,
      workspace: null,
      readers: [],
      body: { ...body, audience: this.#ctx.tenant },
    });
    const stored = { ...envelope, ...organizationKeys(String(body.name)), tenant: this.#ctx.tenant, uses: 0 };
    return createIdempotently(this.#ctx, { collection: stores.organizations, id }, async () => {
      await stores.organizations.insert(stored).catch(nameTaken);
      return new WrittenEntity(stored);
    });
  }

  /** Throws INVALID_INPUT for a patch that is invalid for any organization. */
  checkPatch(patch: JsonObject): void {
    throwIfInvalid(validator.violationsOfPatch(withoutAudience(patch)));
  }

  async update(id: string, patch: JsonObject, expectation: Expectation = {}): Promise<Entity> {
    const stores = this.#ctx.writeStores();
    const rest = withoutAudience(patch);
    this.checkPatch(patch);
    return retryOnConflict(this.#ctx, id, async () => {
      const before = await this.#own(id);
      const old = before.content();
      const body = patched(old, rest);
      const isRenamed = body.name !== old.name;
      throwIfInvalid([...validator.violationsOfChange(old, body), ...(isRenamed ? unseenName(body) : [])]);
      checkVersion(before, expectation);
      if (sameJson(old, body)) return stores.organizations.confirm(before);
      const after = {
        ...nextVersion(this.#ctx, before, body),
        ...(isRenamed ? organizationKeys(String(body.name)) : keptKeys(before)),
        tenant: this.#ctx.tenant,
        uses: Number(before.stored('uses')),
      };
      const replaced = await stores.organizations.replace(before, after).catch(nameTaken);
      return replaced ? new WrittenEntity(after) : undefined;
    });
  }

  /**
   * IN_USE while the organization is a party of a workspace that its tenant has not declined. Declined workspaces stay with the
   * other party, without the organization; `decline` declines those that the tenant never accepted.
   */
  async remove(id: string, { decline, ...expectation }: OrganizationRemoval = {}): Promise<Entity> {
    const stores = this.#ctx.writeStores();
    return retryOnConflict(this.#ctx, id, async () => {
      const before = await this.#own(id);
      checkVersion(before, expectation);
      return stores.transaction(async (tx) => {
        const { tenant } = this.#ctx;
        const counted = decline ? 'accepted' : 'not declined';
        const uses = await stores.workspaces.countOf({ organization: id, tenant, counted }, tx);
        if (uses > 0) {
          const times = `${uses} workspace${uses === 1 ? '' : 's'}`;
          const hint = 'One that others opened with it can be declined (declineWorkspace).';
          throw new ServiceError('IN_USE', `The organization ${id} is a party of ${times}. ${hint}`);
        }
        const own = { collection: stores.organizations, match: { _id: id, version_id: before.versionId } };
        const erased = await eraseTraced(stores, own, this.#ctx.deletionIn(tx));
        if (erased.length === 0) return undefined; // it was changed meanwhile, and may have to stay
        await stores.workspaces.leave(id, tenant, tx);
        return before;
      });
    });
  }

  async #own(id: string): Promise<Entity> {
    const found = await this.#ctx.writeStores().organizations.findOne({ _id: id });
    if (!found) throw notFound('organization', id);
    if (found.stored('tenant') !== this.#ctx.tenant) {
      throw this.#ctx.refusedAccess(id, `The organization ${id} belongs to another tenant.`);
    }
    return found;
  }
}

function withoutAudience(body: JsonObject): JsonObject {
  const { audience: _ignored, ...rest } = body;
  return rest;
}

/** A name without visible characters counts as empty. */
const unseenName = ({ name }: JsonObject): Violation[] =>
  typeof name === 'string' && name.trim() !== '' && visibleKey(name) === ''
    ? [{ path: '/name', message: 'must not be empty: none of its characters can be seen.' }]
    : [];

/** The keys of an unchanged name; a name that looks like that of an older organization has no visible key, and stays without one. */
function keptKeys(before: Entity): Pick<StoredOrganization, 'name_key' | 'visible_key' | 'parts'> {
  const { visible_key, ...keys } = organizationKeys(String(before.content().name));
  return before.stored('visible_key') === undefined ? keys : { ...keys, visible_key };
}

function nameTaken(error: unknown): never {
  if (!NAME_INDEXES.has(duplicateKeyIndex(error))) throw error;
  const ignored = 'letter case, and characters that cannot be seen, do not matter';
  throw new ServiceError('NAME_TAKEN', `Another organization has this name; ${ignored}.`);
}

const withFilter = (request: ListRequest, filter: FieldFilter): ListRequest => ({
  ...request,
  filter: [...(request.filter ?? []), filter],
});
