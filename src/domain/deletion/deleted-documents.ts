import { invalidInput } from '../../errors.ts';
import { anyDocument, DOCUMENT_TYPES, documentType } from '../../model/document-types.ts';
import { attachmentType } from '../../model/entity/attachment-type.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { catalogRecordType, synonymType, workspaceType } from '../../model/entity/entity-types.ts';
import { fieldsOf } from '../../model/fields/fields.ts';
import { whereTableOf } from '../../model/fields/where-table.ts';
import type { Principal } from '../../model/principal.ts';
import type { Stores } from '../../store/stores.ts';
import { type Page, readPage } from '../lists/page.ts';
import type { RequestContext } from '../request/request-context.ts';
import { notDeclined } from '../workspaces/acceptance.ts';
import { accessTo, foreignWorkspace } from '../workspaces/workspace-access.ts';

/** Selects deletions in one workspace, or in all that the caller may see and outside workspaces. */
interface DeletedRequest {
  readonly workspace?: string | null | undefined;
  readonly types?: readonly string[] | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

const fields = fieldsOf(anyDocument.schema);
const where = whereTableOf(anyDocument);

const LATEST_FIRST = [
  { stored: 'deleted_at', descending: true },
  { stored: '_id', descending: false },
] as const;

/** The types listed by default. */
const DOCUMENTS = [...DOCUMENT_TYPES.map(({ name }) => name), attachmentType.name];
const OTHERS = [attachmentType, catalogRecordType, synonymType].map(({ name }) => name);

/** Deleted entities with their last bodies and all versions, for both parties of the workspace (contract §12). */
export class DeletedDocuments {
  readonly #ctx: RequestContext;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  /** One page, latest deletion first. */
  async list({ workspace, types, first, after }: DeletedRequest): Promise<Page> {
    const ctx = this.#ctx;
    const stores = ctx.readStores();
    const names = types ? [...new Set(types.map(typeNamed))] : DOCUMENTS;
    if (workspace) await this.#accessTo(stores, workspace);
    const scope = { ...(workspace && { workspace }), readers: ctx.tenant };
    const hiding = workspace ? undefined : await notDeclined(ctx, 'workspace');
    const conditions = [{ stored: 'type', anyOf: names }];
    const listing = { collection: stores.tombstones, fields, where, scope, conditions, hiding, order: LATEST_FIRST };
    return readPage(ctx, listing, { first, after });
  }

  deletedAt(document: Entity): Date {
    return document.stored('deleted_at') as Date;
  }

  /** The id of the principal that deleted the document; undefined if unknown. */
  deletedBy(document: Entity): string | undefined {
    return (document.stored('deleted_by') as string | null | undefined) ?? undefined;
  }

  /** The principal that deleted the document, by its name at that time. */
  deleter(document: Entity): Pick<Principal, 'id' | 'name'> | undefined {
    const id = this.deletedBy(document);
    return id === undefined ? undefined : { id, name: String(document.stored('deletion.principal.name')) };
  }

  /** A deleted workspace remains readable by those who could read it before. */
  async #accessTo(stores: Stores, workspace: string): Promise<void> {
    const grave = (await stores.workspaces.byId(workspace)) ? undefined : await stores.tombstones.byId(workspace);
    if (grave?.type !== workspaceType.name) await accessTo(this.#ctx, stores, workspace);
    else if (!grave.readers.includes(this.#ctx.tenant)) throw foreignWorkspace(this.#ctx, workspace);
  }
}

function typeNamed(name: string): string {
  const type = documentType(name)?.name ?? OTHERS.find((other) => other === name);
  if (type !== undefined) return type;
  const known = [...new Set([...DOCUMENTS, ...OTHERS])].join(', ');
  throw invalidInput([{ parameter: 'types', message: `may name ${known}; there is no ${name}.` }]);
}
