import type { VersionWindow } from '../../src/domain/versions/history.ts';
import type { Entity, Version } from '../../src/model/entity/entity.ts';
import type { FieldChange } from '../../src/model/entity/field-changes.ts';
import type { Principal } from '../../src/model/principal.ts';
import { builder } from './builder.ts';
import { checked } from './checked.ts';

export const PrincipalRef = builder.objectRef<Pick<Principal, 'id' | 'name'>>('Principal').implement({
  description: 'An API key or a user that makes requests.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id, as in createdBy and modifiedBy.' }),
    name: t.exposeString('name', { description: 'The name of the key or user.' }),
  }),
});

const FieldChangeRef = builder.objectRef<FieldChange>('FieldChange').implement({
  description: 'The change of one field from the previous version.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'A JSON Pointer into the body, such as /cargo/quantity.' }),
    before: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The previous value; null if the field is new.',
      resolve: ({ before }) => before,
    }),
    after: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The new value; null if the field was removed.',
      resolve: ({ after }) => after,
    }),
  }),
});

export const VersionRef = builder.objectRef<Version>('Version').implement({
  description: 'One version of an entity: its body, who created the version, and when. Versions are never overwritten.',
  fields: (t) => ({
    versionId: t.expose('versionId', {
      type: 'UUID',
      description: 'The id of this version, which is its ETag in REST.',
    }),
    number: t.exposeInt('revision', { description: '1 for the first version.' }),
    modifiedBy: t.expose('modifiedBy', { type: 'UUID', description: 'The principal that created this version.' }),
    modifier: t.field({
      type: PrincipalRef,
      nullable: true,
      description:
        'The principal with its name; null for a JSON Web Token, and for a principal of a tenant that does not share the entity.',
      resolve: (version, _args, { load }) => load.modifier(version),
    }),
    modifiedAt: t.expose('modifiedAt', { type: 'DateTime', description: 'When this version was created.' }),
    body: t.field({
      type: 'JSON',
      description: 'The whole body of this version.',
      resolve: (version, _args, { load }) => load.versionBody(version),
    }),
    changes: t.field({
      type: [FieldChangeRef],
      description:
        'The differences from the previous version, field by field; for the first version, all of its fields.',
      resolve: (version, _args, { load }) => load.versionChanges(version),
    }),
  }),
});

/** Selects a range of the versions of an entity. */
export const versionArgs = () =>
  builder.args((t) => ({
    first: t.int({ required: true, defaultValue: 100, description: 'The maximum number of items, 1 to 1000.' }),
    before: t.int({ description: 'Only versions with a lower number than this, to page through older ones.' }),
  }));

/** Extensions of a field with these arguments. */
export const checkedWindow = checked((window: VersionWindow, { domain }) => domain.history.checkWindow(window));

export const EntityRef = builder.interfaceRef<Entity>('Entity').implement({
  description: 'The envelope that every entity has.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The same id as in REST.' }),
    versionId: t.expose('versionId', {
      type: 'UUID',
      description: 'The id of the current version, which is the ETag in REST.',
    }),
    parentId: t.expose('parentId', {
      type: 'UUID',
      nullable: true,
      description: 'The document that this one belongs to.',
    }),
    workspaceId: t.expose('workspaceId', {
      type: 'UUID',
      nullable: true,
      description: 'The id of its workspace.',
    }),
    createdBy: t.expose('createdBy', { type: 'UUID', description: 'The principal that created it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    modifiedBy: t.expose('modifiedBy', {
      type: 'UUID',
      description: 'The principal that created the current version.',
    }),
    modifiedAt: t.expose('modifiedAt', { type: 'DateTime', description: 'When the current version was created.' }),
    type: t.exposeString('type', { description: 'The type name of the interface, such as svc.inspection.job.' }),
    schemaId: t.expose('schemaId', { type: 'UUID', description: "The id of the JSON Schema of the type's body." }),
    body: t.expose('body', {
      type: 'JSON',
      description: 'The whole body as it was sent, with record ids in place of catalog references.',
    }),
  }),
});

/** The precondition argument of every deletion, and of changes to entities without numbered versions. */
export const removalArgs = () =>
  builder.args((t) => ({
    expectedVersion: t.stringList({
      description: 'Version ids, one of which must be current (If-Match), otherwise PRECONDITION_FAILED.',
    }),
  }));

/** The precondition arguments of every change. */
export const changeArgs = () =>
  builder.args((t) => ({
    expectedVersion: t.stringList({
      description: 'Version ids, one of which must be current (If-Match), otherwise PRECONDITION_FAILED.',
    }),
    previousVersion: t.field({
      type: 'UUID',
      description: 'The current version, or null if the entity was never changed, otherwise VERSION_CONFLICT.',
    }),
  }));
