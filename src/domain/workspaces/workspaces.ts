import { setTimeout as sleep } from 'node:timers/promises';
import { notFound, ServiceError, throwIfInvalid } from '../../errors.ts';
import type { Entity, StoredWorkspace } from '../../model/entity/entity.ts';
import { workspaceType } from '../../model/entity/entity-types.ts';
import { fieldsOf } from '../../model/fields/fields.ts';
import { whereTableOf } from '../../model/fields/where-table.ts';
import { type JsonObject, mergePatch, sameJson, valueAt } from '../../model/json.ts';
import { isUuid } from '../../model/uuid.ts';
import { type DeletionMark, isBeingDeleted } from '../../store/entities/deletion-mark.ts';
import type { Condition } from '../../store/entities/query.ts';
import { WrittenEntity } from '../../store/entities/read-entity.ts';
import type { Stores } from '../../store/stores.ts';
import { changeUnlessInUse } from '../deletion/deletion-guard.ts';
import { eraseLeftBehind, eraseRecords } from '../deletion/erase-left-behind.ts';
import { eraseTraced, restGoesByItself } from '../deletion/erase-traced.ts';
import { ErasureBatch } from '../deletion/erasure-batch.ts';
import type { ListRequest } from '../lists/list-request.ts';
import { checkPage, type Page, readPage } from '../lists/page.ts';
import type { RequestContext } from '../request/request-context.ts';
import { patched } from '../validation/body-shape.ts';
import { validatorOf } from '../validation/validators.ts';
import {
  checkVersion,
  createIdempotently,
  type Expectation,
  firstVersion,
  nextVersion,
  retryOnConflict,
} from '../versions/versions.ts';
import { acceptanceOnceUsed, acceptedBy, notDeclined, noteAcceptance, noteUse } from './acceptance.ts';
import { foreignWorkspace } from './workspace-access.ts';

/** The interval in milliseconds at which a deletion checks for the end of another deletion of the same workspace. */
const ANOTHER_DELETION_MS = 100;

const validator = validatorOf(workspaceType);
const fields = fieldsOf(workspaceType.schema);
const where = whereTableOf(workspaceType);

/** Workspaces, each shared by two parties (interface, "Workspace"; contract §2). */
export class Workspaces {
  readonly #ctx: RequestContext;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  async get(id: string): Promise<Entity> {
    return this.#find(this.#ctx.readStores(), id);
  }

  /** The workspace with this id, if it exists and the caller may read it. */
  findVisible(id: string): Promise<Entity | undefined> {
    return this.#ctx.readStores().workspaces.visible(id, this.#ctx);
  }

  /** Throws INVALID_INPUT for invalid list arguments. */
  checkList(request: ListRequest): void {
    checkPage({ fields, where }, request);
  }

  /** All workspaces of the caller, or those with an organization as a party. */
  async list({ organization, ...request }: ListRequest & { readonly organization?: string }): Promise<Page> {
    const { workspaces } = this.#ctx.readStores();
    const hiding = await notDeclined(this.#ctx, '_id');
    const scope = { readers: this.#ctx.tenant };
    const conditions = organization === undefined ? [] : [partyIs(organization)];
    return readPage(this.#ctx, { collection: workspaces, fields, where, scope, conditions, hiding }, request);
  }

  /** At least one of the two organizations must be the caller's; both must exist and differ. */
  async create(body: JsonObject): Promise<Entity> {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    const ids = { client: partyId(body, 'client'), vendor: partyId(body, 'vendor') };
    throwIfInvalid([...validator.violations(body, true), ...samePartyTwice(ids)]);
    const id = ctx.sources.newId();
    const make = () => this.#open(id, body, ids);
    return createIdempotently(ctx, { collection: stores.workspaces, id }, make);
  }

  #open(id: string, body: JsonObject, ids: { readonly client: string; readonly vendor: string }): Promise<Entity> {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    return stores.transaction(async (tx) => {
      const found = await stores.organizations.findMany({ _id: Object.values(ids) }, tx);
      const organizations = new Map(found.map((organization) => [organization.id, organization]));
      const client = organizations.get(ids.client);
      const vendor = organizations.get(ids.vendor);
      throwIfInvalid(
        (['client', 'vendor'] as const)
          .filter((side) => !organizations.has(ids[side]))
          .map((side) => ({ path: `/parties/${side}/id`, message: `There is no organization ${ids[side]}.` })),
      );
      const tenants = { client: tenantOf(client), vendor: tenantOf(vendor) };
      if (tenants.client !== ctx.tenant && tenants.vendor !== ctx.tenant) {
        throw ctx.refusedAccess(
          ids.client,
          'At least one party of a new workspace must be an organization of your own.',
        );
      }
      const envelope = firstVersion(ctx, {
        id,
        type: workspaceType.name,
        workspace: null,
        readers: [...new Set([tenants.client, tenants.vendor])],
        body: withPartyIds(body, ids),
      });
      const workspace: StoredWorkspace = {
        ...envelope,
        parties: {
          client: { id: ids.client, tenant: tenants.client },
          vendor: { id: ids.vendor, tenant: tenants.vendor },
        },
        used_by: [ctx.tenant],
        accepted_by: [ctx.tenant],
        declined_by: [],
      };
      await stores.organizations.fence({ _id: Object.values(ids) }, ctx.sources.now(), tx);
      await stores.workspaces.insert(workspace, tx);
      return new WrittenEntity(workspace);
    });
  }

  /** Throws INVALID_INPUT for a patch that is invalid for any workspace. */
  checkPatch(patch: JsonObject): void {
    throwIfInvalid(validator.violationsOfPatch(withoutParties(patch)));
  }

  /** Applies a JSON Merge Patch; changes to the parties are ignored (interface, "Errors", case 6). */
  async update(id: string, patch: JsonObject, expectation: Expectation = {}): Promise<Entity> {
    const stores = this.#ctx.writeStores();
    const rest = withoutParties(patch);
    this.checkPatch(patch);
    return retryOnConflict(this.#ctx, id, async () => {
      const before = await this.#find(stores, id);
      const old = before.content();
      const body = patched(old, rest);
      throwIfInvalid(validator.violationsOfChange(old, body));
      checkVersion(before, expectation);
      if (sameJson(old, body)) return stores.workspaces.confirm(before);
      await noteUse(this.#ctx, before);
      const after: StoredWorkspace = {
        ...nextVersion(this.#ctx, before, body),
        parties: before.stored('parties') as StoredWorkspace['parties'],
      };
      const isReplaced = await stores.workspaces.replace(before, after);
      return isReplaced ? new WrittenEntity({ ...after, ...acceptanceOnceUsed(this.#ctx, before) }) : undefined;
    });
  }

  /** Lets the Data API place the caller's jobs in the workspace, and shows it in the caller's lists again. */
  async accept(id: string): Promise<Entity> {
    const stores = this.#ctx.writeStores();
    await this.#find(stores, id);
    await noteAcceptance(this.#ctx, id, { used: false });
    return this.#find(stores, id);
  }

  /** Hides the workspace and its contents from the caller's lists; CONFLICT for tenants that opened it or wrote in it. */
  async decline(id: string): Promise<Entity> {
    const stores = this.#ctx.writeStores();
    await this.#find(stores, id);
    const isDeclined = await stores.workspaces.decline(id, this.#ctx.tenant);
    const after = await this.#find(stores, id);
    if (isDeclined) return after;
    throw new ServiceError(
      'CONFLICT',
      `Your tenant opened the workspace ${id} or wrote in it, so that it cannot be declined any more.`,
    );
  }

  /** The organizations of the parties that have accepted the workspace. */
  acceptedBy(workspace: Entity): string[] {
    return acceptedBy(workspace);
  }

  /** Deletes an empty workspace with its catalog records; WORKSPACE_NOT_EMPTY if it contains documents. */
  async remove(id: string, expectation: Expectation = {}): Promise<Entity> {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    return retryOnConflict(ctx, id, async () => {
      const before = await this.#find(stores, id);
      checkVersion(before, expectation);
      if (isBeingDeleted(before, ctx.sources.now())) await sleep(ANOTHER_DELETION_MS);
      let isAll = true;
      const isErased = await changeUnlessInUse(ctx, {
        collection: stores.workspaces,
        entity: before,
        refuseInUse: async () => {
          if (!(await stores.documents.hasAny({ workspace: id }))) return;
          throw new ServiceError('WORKSPACE_NOT_EMPTY', 'Workspace is not empty');
        },
        change: async (mark) => {
          const erased = await this.#erase(mark);
          isAll = erased?.isAll ?? true;
          return erased !== undefined;
        },
      });
      if (!isErased) return undefined;
      stores.workspaces.forget(id);
      // The workspace is erased; if this fails, the erasure sweep completes it.
      await eraseLeftBehind(stores, id).catch(isAll ? () => undefined : restGoesByItself);
      return before;
    });
  }

  /**
   * Erases a marked workspace with as many of its catalog records and synonyms as fit into one transaction; undefined if another request
   * changed it meanwhile.
   */
  #erase(mark: DeletionMark): Promise<{ readonly isAll: boolean } | undefined> {
    const stores = this.#ctx.writeStores();
    const { workspaces } = stores;
    return stores.transaction(async (tx) => {
      const deletion = this.#ctx.deletionIn(tx);
      const erased = await eraseTraced(stores, { collection: workspaces, match: mark }, deletion);
      if (erased.length === 0) return undefined;
      const batch = new ErasureBatch(stores, deletion);
      await eraseRecords(stores, mark._id, batch);
      return { isAll: !batch.isFull };
    });
  }

  async #find({ workspaces }: Stores, id: string): Promise<Entity> {
    const found = await workspaces.byId(id);
    if (!found) throw notFound('workspace', id);
    if (!found.readers.includes(this.#ctx.tenant)) throw foreignWorkspace(this.#ctx, id);
    return found;
  }
}

const samePartyTwice = ({ client, vendor }: { client: string; vendor: string }) =>
  isUuid(client) && client === vendor
    ? [{ path: '/parties/vendor/id', message: 'must be another organization than the client.' }]
    : [];

const partyId = (body: JsonObject, side: string): string =>
  String(valueAt(body, ['parties', side, 'id'])).toLowerCase();

const withoutParties = ({ parties: _ignored, ...rest }: JsonObject): JsonObject => rest;

const tenantOf = (organization: Entity | undefined): string => String(organization?.stored('tenant'));

function withPartyIds(body: JsonObject, ids: { client: string; vendor: string }): JsonObject {
  return mergePatch(body, { parties: { client: { id: ids.client }, vendor: { id: ids.vendor } } }) as JsonObject;
}

const partyIs = (organization: string): Condition => ({
  any: ['client', 'vendor'].map((side) => ({ stored: `body.parties.${side}.id`, anyOf: [organization] })),
});
