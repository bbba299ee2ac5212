import { JOB_TYPE, job as jobType } from '../src/model/document-types/job.ts';
import type { Entity } from '../src/model/entity/entity.ts';
import { bodyFields } from './building/body-fields.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { changeArgs, EntityRef, removalArgs } from './building/entity.ts';
import { member } from './building/member.ts';
import { neededRecords, readingAhead, showsPart } from './building/needed-records.ts';
import { connection, listArgs } from './building/page.ts';
import { checkedDocuments, checkedPatch, DocumentRef, documentPlaceArgs } from './document.ts';
import { WorkspaceRef } from './workspace.ts';

const { cargo = {}, requested = {} } = jobType.schema.properties ?? {};
const { hide = [] } = jobType.graphqlNames ?? {};

export const CargoRef = builder.objectRef<Entity>('Cargo').implement({
  description: 'The cargo.',
  fields: (t) => bodyFields(t, cargo, { read: (name) => (job) => job.at('cargo', name) }),
});

const Requested = builder.objectRef<Entity>('RequestedResults').implement({
  description:
    'The kinds of results that the client requests; false for those that the body does not name. Filters tell the two apart: ne: true matches both, eq: false only what the body has as false.',
  fields: (t) =>
    Object.fromEntries(
      Object.entries(requested.properties ?? {}).map(([name, { description = '' }]) => [
        name,
        t.boolean({ description, resolve: (job) => job.at('requested', name) === true }),
      ]),
    ),
});

export const JobRef = builder.objectRef<Entity>('Job').implement({
  description:
    'An inspection job: the cargo owner (client) has an independent inspection company (vendor) measure and test a cargo while it is loaded, discharged or transferred. Payments and claims are based on its results. In jobs of the Data API, status and activity may be any text.',
  interfaces: [DocumentRef, EntityRef],
  fields: (t) => ({
    ...bodyFields(t, jobType.schema, {
      read: (name) => member<unknown>(name),
      names: { ...jobType.graphqlNames, hide: [...hide, 'cargo', 'requested', 'specification'] },
    }),
    cargo: t.field({
      type: CargoRef,
      description: 'The cargo.',
      extensions: showsPart((job) => job),
      resolve: (job) => job,
    }),
    requested: t.field({
      type: Requested,
      description: 'The kinds of results that the client requests.',
      extensions: showsPart((job) => job),
      resolve: (job) => job,
    }),
  }),
});

const JobConnection = connection('Job', JobRef);

/** Extensions of a list of a job's newest documents. */
export const checkedChildren = checked(({ first }: { readonly first: number }, { domain }) =>
  domain.relatedDocuments.checkNumber(first),
);

builder.objectField(JobRef, 'childJobs', (t) =>
  t.field({
    type: [JobRef],
    description: 'The newest jobs whose parent is this job, such as the parts of a voyage.',
    args: {
      first: t.arg.int({ required: true, defaultValue: 25, description: 'The maximum number of items, 1 to 100.' }),
    },
    extensions: checkedChildren,
    resolve: (job, { first }, { load }, info) =>
      load.children(job, { type: JOB_TYPE, first, needs: neededRecords(info) }),
  }),
);

builder.objectField(WorkspaceRef, 'jobs', (t) =>
  t.field({
    type: JobConnection,
    description: 'The inspection jobs of the workspace.',
    args: listArgs(jobType),
    extensions: checkedDocuments(JOB_TYPE),
    resolve: readingAhead(({ id }, args, { domain }) =>
      domain.documents.list({ ...args, workspace: id, type: JOB_TYPE }),
    ),
  }),
);

builder.queryFields((t) => ({
  job: t.field({
    type: JobRef,
    nullable: true,
    description: 'One inspection job.',
    args: documentPlaceArgs(),
    resolve: (_root, place, { domain }) => domain.documents.get({ ...place, type: JOB_TYPE }),
  }),
  jobs: t.field({
    type: JobConnection,
    description: 'The inspection jobs that are visible to the caller, optionally in one workspace.',
    args: { workspace: t.arg({ type: 'UUID', description: 'Only those of this workspace.' }), ...listArgs(jobType) },
    extensions: checkedDocuments(JOB_TYPE),
    resolve: readingAhead((_root, args, { domain }) => domain.documents.list({ ...args, type: JOB_TYPE })),
  }),
}));

builder.mutationFields((t) => ({
  createJob: t.field({
    type: JobRef,
    description:
      'Creates an inspection job. Catalog records that it refers to and that do not exist yet are created with it.',
    args: {
      workspace: t.arg({ type: 'UUID', required: true, description: 'The id of the workspace.' }),
      body: t.arg({ type: 'JobBody', required: true, description: 'The job.' }),
    },
    resolve: (_root, args, { domain }) => domain.documents.create({ ...args, type: JOB_TYPE, requireFields: false }),
  }),
  updateJob: t.field({
    type: JobRef,
    description: 'Changes a job by a JSON Merge Patch.',
    args: {
      ...documentPlaceArgs(),
      patch: t.arg({ type: 'JobPatch', required: true, description: 'The changes; null removes a member.' }),
      ...changeArgs(),
    },
    extensions: checkedPatch(JOB_TYPE),
    resolve: (_root, { workspace, id, patch, ...expectation }, { domain }) =>
      domain.documents.update({ workspace, id, type: JOB_TYPE }, patch, expectation),
  }),
  deleteJob: t.field({
    type: JobRef,
    description: 'Deletes a job and everything below it permanently.',
    args: { ...documentPlaceArgs(), ...removalArgs() },
    resolve: (_root, { workspace, id, ...expectation }, { domain }) =>
      domain.documents.remove({ workspace, id, type: JOB_TYPE }, expectation),
  }),
}));
