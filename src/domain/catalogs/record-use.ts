import { ServiceError } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { RequestContext } from '../request/request-context.ts';

/** Which other collections to check for references to a record. */
interface Uses {
  readonly synonyms: boolean;
}

/** Throws IN_USE if anything refers to the record. */
export async function refuseRecordInUse(
  ctx: RequestContext,
  { id, workspaceId }: Entity,
  { synonyms }: Uses,
): Promise<void> {
  const stores = ctx.writeStores();
  const documents = await stores.documents.countWhere({ workspace: workspaceId, refs: id });
  if (documents > 0) throw inUse(`${documents} ${documents === 1 ? 'document refers' : 'documents refer'} to it`, id);
  const links = synonyms ? await stores.synonyms.countWhere({ workspace: workspaceId, items: id }) : 0;
  if (links > 0) throw inUse(`it has ${links} ${links === 1 ? 'synonym' : 'synonyms'}`, id);
}

const inUse = (why: string, id: string): ServiceError =>
  new ServiceError('IN_USE', `The record ${id} is in use: ${why}.`);
