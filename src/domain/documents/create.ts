import type { ClientSession } from 'mongodb';
import { notFound, ServiceError } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { JsonObject } from '../../model/json.ts';
import { WrittenEntity } from '../../store/entities/read-entity.ts';
import { finishLater } from '../../store/finish-later.ts';
import { type Mention, mentionsOf } from '../catalogs/mentions.ts';
import type { Resolution } from '../catalogs/resolve-references.ts';
import { candidatesAhead, withRecords } from '../catalogs/write-with-references.ts';
import type { Asker } from '../request/request-context.ts';
import { once, untilUndisturbed } from '../versions/versions.ts';
import type { WorkspaceAccess } from '../workspaces/workspace-access.ts';
import { type DocumentKind, documentKind } from './document-kind.ts';
import { found, lookAfter, lookAgain } from './look-after.ts';
import { type BodyPlace, firstDocument, parentOf, unfitParents } from './new-document.ts';
import { refuseTaken } from './rules.ts';
import type { Keeping } from './storage-form.ts';

/** A new document whose body is in its place and was found good. */
export interface CheckedDocument {
  readonly place: BodyPlace;
  readonly body: JsonObject;
  readonly keeping: Keeping;
}

/** The same, with what is found out on the way to its insert. */
interface ReadyDocument extends CheckedDocument {
  readonly id: string;
  readonly mentions: readonly Mention[];
  readonly candidates: Promise<readonly Entity[]> | undefined;
}

/** Stores a new document where the caller may put it, with the records that it mentions. */
export async function addDocument(
  asker: Asker,
  kind: DocumentKind,
  allowed: WorkspaceAccess | Promise<WorkspaceAccess>,
  checked: CheckedDocument,
): Promise<Entity> {
  const { place, body, keeping } = checked;
  const mentions = mentionsOf(keeping.references, body);
  let ahead = candidatesAhead(asker, place.workspace, mentions);
  const access = await allowed;
  await checkParent(asker, kind, access, { body, place });
  const id = asker.sources.newId();
  const insert = () => {
    const candidates = ahead;
    ahead = undefined; // another try looks again
    return insertDocument(asker, kind, access, { ...checked, id, mentions, candidates });
  };
  const stays = (entity: Entity) => lookAfter(asker, found(entity, access.id));
  try {
    return await once(asker, { collection: asker.write.documents, id, stays }, () => untilUndisturbed(insert));
  } catch (error) {
    if (!(error instanceof ServiceError)) void finishLater(() => lookAgain(asker, id, access.id));
    throw error;
  }
}

/** Inserts first and looks after: undefined when a record went away meanwhile, and the document was taken back. */
async function insertDocument(
  asker: Asker,
  kind: DocumentKind,
  access: WorkspaceAccess,
  made: ReadyDocument,
): Promise<Entity | undefined> {
  const stores = asker.write;
  const { id, body, keeping, mentions, candidates } = made;
  const write = async ({ ids }: Resolution, session?: ClientSession) => {
    const stored = firstDocument(asker, kind, access, { id, ...keeping.keep(body, ids) });
    await stores.documents.insert(stored, session).catch(refuseTaken(kind.rules, stored.body));
    return stored;
  };
  const written = await withRecords(asker, access, mentions, { write, candidates });
  const { version_id: versionId, parent_id: parent, refs } = written;
  const inserted = { id, versionId, workspace: access.id, parent, refs, wasFound: false };
  if (await lookAfter(asker, inserted)) return new WrittenEntity(written);
  // Records made for it stay, since others may refer to them already.
  await checkParent(asker, kind, access, made);
  return undefined;
}

/** Throws unless the parent that the body names, if any, is another document of this workspace, of the type it must be. */
export async function checkParent(
  asker: Asker,
  { type }: DocumentKind,
  { id: workspace }: WorkspaceAccess,
  made: { readonly body: JsonObject; readonly id?: string; readonly place?: BodyPlace },
): Promise<void> {
  const parent = parentOf(made.body);
  if (parent === null) return;
  const found = parent === made.id ? undefined : await asker.write.documents.findOne({ _id: parent, workspace });
  const fits = found && (type.parentType === undefined || found.type === type.parentType);
  if (fits) return;
  const wanted = type.parentType ? documentKind(type.parentType).type.noun : 'document';
  throw made.place?.parent ? notFound(wanted, parent) : unfitParents(wanted, [{ path: '/parent', id: parent }]);
}
