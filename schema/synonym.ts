import type { LinkedSynonym, SynonymListRequest } from '../src/domain/catalogs/synonyms.ts';
import type { Entity } from '../src/model/entity/entity.ts';
import { synonymType } from '../src/model/entity/entity-types.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { checkedWindow, EntityRef, removalArgs, VersionRef, versionArgs } from './building/entity.ts';
import { connection, listArgs } from './building/page.ts';
import { CatalogRecordRef } from './catalog-record.ts';

const SynonymRef = builder.objectRef<Entity>('Synonym').implement({
  description: 'A link between two records of a catalog that describe the same item; it has no direction.',
  interfaces: [EntityRef],
  extensions: { jsonSchema: { ...synonymType.schema, required: synonymType.required } },
  fields: (t) => ({
    catalog: t.string({
      description: 'The catalog of both records.',
      resolve: (synonym) => String(synonym.stored('xtype')),
    }),
    baseItem: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'One of the two records.',
      resolve: (synonym, _args, { load }) => load.catalogRecord(synonym.at('baseItem')),
    }),
    linkedItem: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The other one.',
      resolve: (synonym, _args, { load }) => load.catalogRecord(synonym.at('linkedItem')),
    }),
    otherId: t.field({
      type: 'UUID',
      description: 'The id of the one of the two records that is not `than`.',
      args: { than: t.arg({ type: 'UUID', required: true, description: 'The id of one of the two records.' }) },
      resolve: (synonym, { than }) => String(synonym.at(synonym.at('baseItem') === than ? 'linkedItem' : 'baseItem')),
    }),
    versions: t.field({
      type: [VersionRef],
      description: 'All versions, newest first.',
      args: versionArgs(),
      extensions: checkedWindow,
      resolve: (synonym, window, { load }) => load.versions(synonym, window),
    }),
  }),
});

const LinkedSynonymRef = builder.objectRef<LinkedSynonym>('LinkedSynonym').implement({
  description: 'The outcome of linking two records.',
  fields: (t) => ({
    created: t.exposeBoolean('created', { description: 'False if the two were already linked.' }),
    synonym: t.expose('synonym', { type: SynonymRef, description: 'The link.' }),
  }),
});

const SynonymConnection = connection('Synonym', SynonymRef);

const placeArgs = () =>
  builder.args((t) => ({
    workspace: t.field({ type: 'UUID', required: true, description: 'The workspace of both records.' }),
    catalog: t.string({ required: true, description: 'The catalog of both records.' }),
    record: t.field({ type: 'UUID', required: true, description: 'One of the two records.' }),
    synonym: t.field({ type: 'UUID', required: true, description: 'The other one; the order makes no difference.' }),
  }));

builder.queryFields((t) => ({
  synonym: t.field({
    type: SynonymRef,
    nullable: true,
    description: 'The link between two records; NOT_FOUND if they are not linked.',
    args: placeArgs(),
    resolve: (_root, place, { domain }) => domain.synonyms.get(place),
  }),
  linkedRecord: t.field({
    type: CatalogRecordRef,
    nullable: true,
    description: 'The record `synonym`, if it is linked to `record`; otherwise NOT_FOUND.',
    args: placeArgs(),
    resolve: (_root, place, { domain }) => domain.synonyms.linkedRecord(place),
  }),
  synonyms: t.field({
    type: SynonymConnection,
    description: 'The links in a workspace, in one of its catalogs, or of one record.',
    args: {
      workspace: t.arg({ type: 'UUID', required: true, description: 'The workspace of the records.' }),
      catalog: t.arg.string({ description: 'Only those of this catalog.' }),
      catalogs: t.arg.stringList({ description: 'Only those of these catalogs.' }),
      record: t.arg({ type: 'UUID', description: 'Only those of this record.' }),
      ...listArgs(synonymType),
    },
    extensions: checked((args: SynonymListRequest, { domain }) => domain.synonyms.checkList(args)),
    resolve: (_root, args, { domain }) => domain.synonyms.list(args),
  }),
}));

builder.mutationFields((t) => ({
  linkSynonyms: t.field({
    type: LinkedSynonymRef,
    description:
      'Links two records that describe the same item. If they are already linked, returns the existing link. At most 1,000 records may be synonyms of each other, directly or through others; a link to more is CONFLICT.',
    args: placeArgs(),
    resolve: (_root, place, { domain }) => domain.synonyms.link(place),
  }),
  unlinkSynonyms: t.field({
    type: SynonymRef,
    description: 'Removes the link between two records, and returns its last version.',
    args: { ...placeArgs(), ...removalArgs() },
    resolve: (_root, { expectedVersion, ...place }, { domain }) => domain.synonyms.unlink(place, { expectedVersion }),
  }),
  unlinkRecord: t.field({
    type: CatalogRecordRef,
    description:
      'Removes the link between two records, and returns the record `synonym`. The expected version is that of the record or of the link.',
    args: { ...placeArgs(), ...removalArgs() },
    resolve: (_root, { expectedVersion, ...place }, { domain }) =>
      domain.synonyms.unlinkRecord(place, { expectedVersion }),
  }),
}));
