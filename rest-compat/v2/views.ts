import { selectionOf, type ViewObject } from '../declare/view.ts';

/** The envelope of an entity, in the order of the interface ("Entity envelope"). */
export const envelope: ViewObject = {
  id: 'id',
  version_id: 'versionId',
  parent_id: 'parentId',
  created_by: 'createdBy',
  created_at: 'createdAt',
  modified_by: 'modifiedBy',
  modified_at: 'modifiedAt',
  type: 'type',
  body: 'body',
  meta: { workspace: 'workspaceId' },
  schema: 'schemaId',
};

/** The GraphQL fields behind the envelope. */
export const envelopeFields = selectionOf(envelope);
