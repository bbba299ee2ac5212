import type { Entity, Version } from '../src/model/entity.ts';
import { builder } from './builder.ts';

export const VersionRef = builder.objectRef<Version>('Version').implement({
  description: 'One version of an entity; every version is kept.',
  fields: (t) => ({
    versionId: t.expose('versionId', { type: 'UUID', description: 'The id of this version; its ETag in REST.' }),
    number: t.exposeInt('revision', { description: '1 for the first version.' }),
    modifiedBy: t.expose('modifiedBy', { type: 'UUID', description: 'The principal that made this version.' }),
    modifiedAt: t.expose('modifiedAt', { type: 'DateTime', description: 'When this version was made.' }),
    body: t.field({ type: 'JSON', description: 'The whole body of this version.', resolve: (version) => version.body }),
  }),
});

export const EntityRef = builder.interfaceRef<Entity>('Entity').implement({
  description: 'What every entity has around its body (interface, "Entity envelope").',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The same id as in REST.' }),
    versionId: t.expose('versionId', { type: 'UUID', description: 'The id of the current version; the ETag in REST.' }),
    parentId: t.expose('parentId', {
      type: 'UUID',
      nullable: true,
      description: 'The document that this one belongs to.',
    }),
    workspaceId: t.expose('workspaceId', {
      type: 'UUID',
      nullable: true,
      description: 'The workspace that it lives in.',
    }),
    createdBy: t.expose('createdBy', { type: 'UUID', description: 'The principal that created it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    modifiedBy: t.expose('modifiedBy', { type: 'UUID', description: 'The principal that made the current version.' }),
    modifiedAt: t.expose('modifiedAt', { type: 'DateTime', description: 'When the current version was made.' }),
    type: t.exposeString('type', { description: 'The type name of the interface, such as svc.inspection.job.' }),
    schemaId: t.expose('schemaId', { type: 'UUID', description: "The id of the JSON Schema of the type's body." }),
    body: t.expose('body', {
      type: 'JSON',
      description: 'The whole body as it was sent, record ids in the place of catalog references.',
    }),
  }),
});

/** The argument of every deletion. */
export const removalArgs = () =>
  builder.args((t) => ({
    expectedVersion: t.stringList({
      description: 'Versions any of which must be current (If-Match), else PRECONDITION_FAILED.',
    }),
  }));

/** The arguments of every change: which version it is made to. */
export const changeArgs = () =>
  builder.args((t) => ({
    expectedVersion: t.stringList({
      description: 'Versions any of which must be current (If-Match), else PRECONDITION_FAILED.',
    }),
    previousVersion: t.field({
      type: 'UUID',
      description: 'The current version, or null when it was never changed, else VERSION_CONFLICT.',
    }),
  }));
