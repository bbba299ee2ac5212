import type { ObjectRef } from '@pothos/core';
import type { Entity } from '../src/model/entity/entity.ts';
import { referenceForm, referenceStatus, referenceSummary } from '../src/model/reference-data/reference-form.ts';
import type { ReferenceType, STATUSES } from '../src/model/reference-data/reference-types.ts';
import { builder, type ReferenceName } from './building/builder.ts';
import { checkedWindow, VersionRef, versionArgs } from './building/entity.ts';
import { connection, listArgs } from './building/page.ts';

/** Whether a reference record is in use. */
export const RecordStatus = builder.enumType('RecordStatus', {
  description: 'ACTIVE records are in use, INACTIVE ones no longer are.',
  values: {
    ACTIVE: { description: 'In use.' },
    INACTIVE: { description: 'Out of use; it can still be read, and writing it again makes it active.' },
  } satisfies Record<(typeof STATUSES)[number], object>,
});

/** The body members that the GraphQL types declare explicitly: the members of every record, and the status. */
export const ownMembers = ({ schema, status }: ReferenceType): readonly string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, { readOnly }]) =>
    readOnly || name === status ? [name] : [],
  );

/** The envelope of every reference record. */
export const ReferenceRecordRef = builder.interfaceRef<Entity>('ReferenceRecord').implement({
  description: "Master data of the caller's tenant, identified by a code.",
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id, by which the audit log names it.' }),
    clientCode: t.string({
      description: 'The code of the record, unique per kind and tenant.',
      resolve: (record) => String(record.stored('code')),
    }),
    versionId: t.expose('versionId', {
      type: 'UUID',
      description: 'The id of the current version, which is the ETag in REST.',
    }),
    dateCreated: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    creator: t.string({
      description: 'The name of the principal that created it.',
      resolve: (record) => String(record.stored('creator')),
    }),
    dateModified: t.expose('modifiedAt', { type: 'DateTime', description: 'When it was last written.' }),
    modifier: t.string({
      description: 'The name of the principal that wrote it last.',
      resolve: (record) => String(record.stored('modifier')),
    }),
    statusCode: t.field({
      type: RecordStatus,
      description: 'Whether it is in use; REST calls it gradeStatusCode in a grade.',
      resolve: (record) => referenceStatus(record),
    }),
    record: t.field({
      type: 'JSON',
      description: 'The whole record as REST returns it, including unknown members.',
      resolve: (record) => referenceForm(record),
    }),
    summary: t.field({
      type: 'JSON',
      description: 'The record as REST returns it in search results: companies without the head office.',
      resolve: (record) => referenceSummary(record),
    }),
    versions: t.field({
      type: [VersionRef],
      description: 'All versions, newest first.',
      args: versionArgs(),
      extensions: checkedWindow,
      resolve: (record, window, { load }) => load.versions(record, window),
    }),
  }),
});

type Types = typeof builder.$inferSchemaTypes;

/** The differences between the kinds of reference records. */
interface ReferenceDeclaration {
  readonly type: ReferenceType;
  readonly name: ReferenceName;
  readonly ref: ObjectRef<Types, Entity>;
  /** The names of the queries for one and for many. */
  readonly one: string;
  readonly many: string;
}

/** Defines the queries and mutations of one kind of reference record. */
export function referenceNoun({ type, name, ref, one, many }: ReferenceDeclaration): void {
  const connectionRef = connection(name, ref);
  const outcome = builder.objectRef<{ readonly created: boolean; readonly record: Entity }>(`Put${name}`).implement({
    description: `The outcome of creating or replacing the ${type.noun}.`,
    fields: (t) => ({
      created: t.exposeBoolean('created', { description: 'False if a record with this code already existed.' }),
      [one]: t.expose('record', { type: ref, description: 'The record.' }),
    }),
  });

  builder.queryField(one, (t) =>
    t.field({
      type: ref,
      nullable: true,
      description: `One ${type.noun} of the caller's tenant, by its code.`,
      args: codeArgs(),
      resolve: (_root, { clientCode }, { domain }) => domain.referenceRecords.get(type, clientCode),
    }),
  );
  builder.queryField(many, (t) =>
    t.field({
      type: connectionRef,
      description: `Every ${type.noun} of the caller's tenant, including inactive ones; sorted by code, or by name if filtered by name.`,
      args: { ...searchArgs(), ...listArgs(type, 'by code, or by name if filtered by name') },
      resolve: (_root, search, { domain }) => domain.referenceRecords.list(type, search),
    }),
  );
  builder.mutationFields((t) => ({
    [`put${name}`]: t.field({
      type: outcome,
      description: `Creates the ${type.noun}, or replaces the existing one with the same code.`,
      args: {
        ...codeArgs(),
        body: t.arg({ type: `${name}Body`, required: true, description: 'The whole record.' }),
        ...expectedArgs(),
        ...unlessArgs(),
      },
      resolve: (_root, { clientCode, body, ...expectation }, { domain }) =>
        domain.referenceRecords.put(type, clientCode, body, expectation),
    }),
    [`deactivate${name}`]: t.field({
      type: ref,
      description: `Sets the ${type.noun} to INACTIVE; writing it makes it active again.`,
      args: { ...codeArgs(), ...expectedArgs() },
      resolve: (_root, { clientCode, ...expectation }, { domain }) =>
        domain.referenceRecords.deactivate(type, clientCode, expectation),
    }),
  }));
}

const codeArgs = () =>
  builder.args((t) => ({
    clientCode: t.string({ required: true, description: 'The code of the record, 1 to 100 characters.' }),
  }));

const expectedArgs = () =>
  builder.args((t) => ({
    expectedVersion: t.stringList({
      description: 'Versions any of which must be current (If-Match), else PRECONDITION_FAILED; "*" is any.',
    }),
  }));

const unlessArgs = () =>
  builder.args((t) => ({
    unlessVersion: t.stringList({
      description: 'Versions none of which may be current (If-None-Match), else PRECONDITION_FAILED; "*" is any.',
    }),
  }));

const searchArgs = () =>
  builder.args((t) => ({
    clientCodes: t.stringList({ description: 'Only records with these codes; an empty list matches none.' }),
    dateModifiedFrom: t.field({
      type: 'DateTime',
      description:
        'Only records last modified at or after this time. A record can become visible after another one with a later time: to keep a copy up to date, go back five minutes before the newest record you have.',
    }),
    dateModifiedTo: t.field({
      type: 'DateTime',
      description: 'Only records last modified at or before this time; a date alone includes the whole day (UTC).',
    }),
    nameStartsWith: t.string({ description: 'The beginning of the name, case-insensitive.' }),
    nameContains: t.string({ description: 'A part of the name, case-insensitive.' }),
  }));
