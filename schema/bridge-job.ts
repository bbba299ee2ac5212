import { job } from '../src/model/document-types/job.ts';
import { object } from '../src/model/fields/schema-parts.ts';
import { bodyFields } from './building/body-fields.ts';
import { builder } from './building/builder.ts';
import { removalArgs } from './building/entity.ts';
import { member } from './building/member.ts';
import { CargoRef, JobRef } from './job.ts';

const { cargo, ...ofJob } = job.further?.properties ?? {};
const { quantity: _quantity, ...ofCargo } = cargo?.properties ?? {};

builder.objectFields(JobRef, (t) => ({
  ...bodyFields(t, object(ofJob), { read: (name) => member<unknown>(name) }),
  bridgeBody: t.field({
    type: 'JSON',
    description:
      'The body as the Data API, the Data API, shows it: in the shape that the job was made in (jobs of the other families in Shape B), each reference an object with the id, and the present xref and name, of its record.',
    resolve: (row, _args, { load }) => load.bridgeBody(row),
  }),
  bridgeListType: t.string({
    description: 'The type name in the lists of the Data API: svc.nim.job in the demo, else svc.inspection.job.',
    resolve: (row, _args, { environment }) => (environment === 'demo' ? (job.aliases[0] ?? row.type) : row.type),
  }),
}));

builder.objectFields(CargoRef, (t) =>
  bodyFields(t, object(ofCargo), { read: (name) => (row) => row.at('cargo', name) }),
);

builder.mutationFields((t) => ({
  createBridgeJob: t.field({
    type: JobRef,
    description:
      'Asks for an inspection as the Data API does, in Shape A or Shape B. The job is put into the one workspace of the caller whose parties are its client and vendor; without such a workspace it is kept without one, for the caller alone.',
    args: { body: t.arg({ type: 'BridgeJobBody', required: true, description: 'The job.' }) },
    resolve: (_root, { body }, { domain }) => domain.bridgeJobs.create(body),
  }),
  submitBridgeJob: t.field({
    type: JobRef,
    description:
      'Submits an inspection job as the Data API does, in the submit form of Shape A. Each call makes a new job.',
    args: { body: t.arg({ type: 'BridgeJobSubmission', required: true, description: 'The job.' }) },
    resolve: (_root, { body }, { domain }) => domain.bridgeJobs.submit(body),
  }),
  placeJob: t.field({
    type: JobRef,
    description:
      'Puts a job that is in no workspace into one; both parties see it from then on. Its references become catalog records of that workspace, made where they do not exist. CONFLICT when it is in a workspace already.',
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The id of the job.' }),
      workspace: t.arg({ type: 'UUID', required: true, description: 'The workspace that it will live in.' }),
      ...removalArgs(),
    },
    resolve: (_root, { id, workspace, ...expectation }, { domain }) =>
      domain.bridgeJobs.place(id, workspace, expectation),
  }),
}));
