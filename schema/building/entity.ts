import type { Entity, Version } from '../../src/model/entity/entity.ts';
import { type FieldChange, fieldChanges } from '../../src/model/entity/field-changes.ts';
import type { Principal } from '../../src/model/principal.ts';
import { builder } from './builder.ts';

const PrincipalRef = builder.objectRef<Principal>('Principal').implement({
  description: 'Who makes requests: an API key, or a user.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id: createdBy and modifiedBy of what it wrote.' }),
    name: t.exposeString('name', { description: 'The name of the key, or of the user.' }),
  }),
});

const FieldChangeRef = builder.objectRef<FieldChange>('FieldChange').implement({
  description: 'How one field differs from the version before.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'A JSON Pointer into the body, such as /cargo/quantity.' }),
    before: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What it was; null where there was nothing.',
      resolve: ({ before }) => before,
    }),
    after: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What it became; null where it was removed.',
      resolve: ({ after }) => after,
    }),
  }),
});

export const VersionRef = builder.objectRef<Version>('Version').implement({
  description: 'One version of an entity: what it was, who made it so, and when. Nothing is overwritten.',
  fields: (t) => ({
    versionId: t.expose('versionId', { type: 'UUID', description: 'The id of this version; its ETag in REST.' }),
    number: t.exposeInt('revision', { description: '1 for the first version.' }),
    modifiedBy: t.expose('modifiedBy', { type: 'UUID', description: 'The principal that made this version.' }),
    modifier: t.field({
      type: PrincipalRef,
      nullable: true,
      description:
        'The same with its name; null for one of a JSON Web Token, and for one of another tenant that does not share the entity.',
      resolve: (version, _args, { load }) => load.modifier(version),
    }),
    modifiedAt: t.expose('modifiedAt', { type: 'DateTime', description: 'When this version was made.' }),
    body: t.field({ type: 'JSON', description: 'The whole body of this version.', resolve: (version) => version.body }),
    changes: t.field({
      type: [FieldChangeRef],
      description: 'What is different from the version before, field by field; in the first version all that it has.',
      resolve: ({ before, body }) => fieldChanges(before, body),
    }),
  }),
});

/** Which of its versions an entity shows. */
export const versionArgs = () =>
  builder.args((t) => ({
    first: t.int({ required: true, defaultValue: 100, description: 'At most this many, 1 to 1000.' }),
    before: t.int({ description: 'Only versions of a lower number than this, to go on with older ones.' }),
  }));

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
