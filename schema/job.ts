import { JOB_ACTIVITIES, JOB_STATUSES, JOB_TYPE, job as jobType } from '../src/model/document-types/job.ts';
import type { Entity } from '../src/model/entity/entity.ts';
import { builder } from './building/builder.ts';
import { changeArgs, EntityRef, removalArgs } from './building/entity.ts';
import { member } from './building/member.ts';
import { connection, listArgs } from './building/page.ts';
import { CatalogRecordRef } from './catalog-record.ts';
import { DocumentRef, documentPlaceArgs } from './document.ts';
import { WorkspaceRef } from './workspace.ts';

/** The description of a job field in the model. */
const about = (name: string, inner?: string): string => {
  const part = jobType.schema.properties?.[name];
  return (inner === undefined ? part : part?.properties?.[inner])?.description ?? '';
};

export const CargoRef = builder.objectRef<Entity>('Cargo').implement({
  description: 'The cargo.',
  fields: (t) => ({
    product: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: about('cargo', 'product'),
      resolve: (job, _args, { load }) => load.catalogRecord(job.at('cargo', 'product')),
    }),
    quantity: t.float({
      nullable: true,
      description: about('cargo', 'quantity'),
      resolve: (job) => job.at('cargo', 'quantity') as number | null | undefined,
    }),
    uom: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: about('cargo', 'uom'),
      resolve: (job, _args, { load }) => load.catalogRecord(job.at('cargo', 'uom')),
    }),
  }),
});

const Requested = builder.objectRef<Entity>('RequestedResults').implement({
  description: 'The kinds of results that the client requests.',
  fields: (t) => ({
    quality: t.boolean({ description: 'Quality results.', resolve: (job) => job.at('requested', 'quality') === true }),
    quantity: t.boolean({
      description: 'Quantity results.',
      resolve: (job) => job.at('requested', 'quantity') === true,
    }),
    timelog: t.boolean({ description: 'A time log.', resolve: (job) => job.at('requested', 'timelog') === true }),
  }),
});

export const JobRef = builder.objectRef<Entity>('Job').implement({
  description:
    'An inspection job: the cargo owner (client) has an independent inspection company (vendor) measure and test a cargo while it is loaded, discharged or transferred. Payments and claims are based on its results.',
  interfaces: [DocumentRef, EntityRef],
  fields: (t) => ({
    xref: t.string({
      nullable: true,
      description: about('xref'),
      resolve: member('xref'),
    }),
    refNumber: t.string({
      nullable: true,
      description: about('refNumber'),
      resolve: member('refNumber'),
    }),
    tripNumber: t.string({
      nullable: true,
      description: about('tripNumber'),
      resolve: member('tripNumber'),
    }),
    status: t.string({
      nullable: true,
      description: `${about('status')} One of ${JOB_STATUSES.join(', ')}; free text in jobs of the Data API.`,
      resolve: member('status'),
    }),
    activity: t.string({
      nullable: true,
      description: `${about('activity')} One of ${JOB_ACTIVITIES.join(', ')}; free text in jobs of the Data API.`,
      resolve: member('activity'),
    }),
    eta: t.field({
      type: 'DateTime',
      nullable: true,
      description: about('eta'),
      resolve: member('eta'),
    }),
    etc: t.field({
      type: 'DateTime',
      nullable: true,
      description: about('etc'),
      resolve: member('etc'),
    }),
    notes: t.string({ nullable: true, description: about('notes'), resolve: member('notes') }),
    location: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: about('location'),
      resolve: (job, _args, { load }) => load.catalogRecord(job.at('location')),
    }),
    transports: t.field({
      type: [CatalogRecordRef],
      description: about('transports'),
      resolve: (job, _args, { load }) => load.catalogRecords(job.at('transports')),
    }),
    cargo: t.field({ type: CargoRef, description: 'The cargo.', resolve: (job) => job }),
    requested: t.field({
      type: Requested,
      description: 'The kinds of results that the client requests.',
      resolve: (job) => job,
    }),
    vendor: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The vendor of the job, a record of the vendors catalog.',
      resolve: (job, _args, { load }) => load.catalogRecord(job.at('vendor')),
    }),
    client: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The client of the job, a record of the clients catalog.',
      resolve: (job, _args, { load }) => load.catalogRecord(job.at('client')),
    }),
  }),
});

const JobConnection = connection('Job', JobRef);

builder.objectField(JobRef, 'childJobs', (t) =>
  t.field({
    type: [JobRef],
    description: 'The newest jobs whose parent is this job, such as the parts of a voyage.',
    args: {
      first: t.arg.int({ required: true, defaultValue: 25, description: 'The maximum number of items, 1 to 100.' }),
    },
    resolve: (job, { first }, { load }) => load.children(job, JOB_TYPE, first),
  }),
);

builder.objectField(WorkspaceRef, 'jobs', (t) =>
  t.field({
    type: JobConnection,
    description: 'The inspection jobs of the workspace.',
    args: listArgs(jobType),
    resolve: ({ id }, args, { domain }) => domain.documents.list({ ...args, workspace: id, type: JOB_TYPE }),
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
    resolve: (_root, args, { domain }) => domain.documents.list({ ...args, type: JOB_TYPE }),
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
    resolve: (_root, args, { domain }) => domain.documents.create({ ...args, type: JOB_TYPE, documentForm: false }),
  }),
  updateJob: t.field({
    type: JobRef,
    description: 'Changes a job by a JSON Merge Patch.',
    args: {
      ...documentPlaceArgs(),
      patch: t.arg({ type: 'JobPatch', required: true, description: 'The changes; null removes a member.' }),
      ...changeArgs(),
    },
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
