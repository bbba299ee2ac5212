import { SPECIFICATION_TYPE, specification } from '../src/model/document-types/specification.ts';
import type { Entity } from '../src/model/entity/entity.ts';
import { bodyFields } from './building/body-fields.ts';
import { builder } from './building/builder.ts';
import { EntityRef } from './building/entity.ts';
import { member } from './building/member.ts';
import { connection, listArgs } from './building/page.ts';
import { checkedDocuments, DocumentRef, documentPlaceArgs } from './document.ts';
import { JobRef } from './job.ts';
import { WorkspaceRef } from './workspace.ts';

export const SpecificationRef = builder.objectRef<Entity>('Specification').implement({
  description: 'The contractual requirements on a product: its tests with their limits. Created with createDocument.',
  interfaces: [DocumentRef, EntityRef],
  fields: (t) =>
    bodyFields(t, specification.schema, {
      read: (name) => member<unknown>(name),
      names: specification.graphqlNames,
    }),
});

const SpecificationConnection = connection('Specification', SpecificationRef);

builder.queryFields((t) => ({
  specification: t.field({
    type: SpecificationRef,
    nullable: true,
    description: 'One specification.',
    args: documentPlaceArgs(),
    resolve: (_root, place, { domain }) => domain.documents.get({ ...place, type: SPECIFICATION_TYPE }),
  }),
  specifications: t.field({
    type: SpecificationConnection,
    description: 'The specifications that are visible to the caller, optionally in one workspace.',
    args: {
      workspace: t.arg({ type: 'UUID', description: 'Only those of this workspace.' }),
      ...listArgs(specification),
    },
    extensions: checkedDocuments(SPECIFICATION_TYPE),
    resolve: (_root, args, { domain }) => domain.documents.list({ ...args, type: SPECIFICATION_TYPE }),
  }),
}));

builder.objectField(WorkspaceRef, 'specifications', (t) =>
  t.field({
    type: SpecificationConnection,
    description: 'The specifications of the workspace.',
    args: listArgs(specification),
    extensions: checkedDocuments(SPECIFICATION_TYPE),
    resolve: ({ id }, args, { domain }) => domain.documents.list({ ...args, workspace: id, type: SPECIFICATION_TYPE }),
  }),
);

builder.objectField(JobRef, 'specification', (t) =>
  t.field({
    type: SpecificationRef,
    nullable: true,
    description: 'The specification that the results are held against.',
    resolve: (job, _args, { analyse }) => analyse.specificationOf(job),
  }),
);
