import { job } from '../src/model/document-types/job.ts';
import type { Entity } from '../src/model/entity/entity.ts';
import { object } from '../src/model/fields/schema-parts.ts';
import { bodyFields } from './building/body-fields.ts';
import { builder } from './building/builder.ts';
import { removalArgs } from './building/entity.ts';
import { CargoRef, JobRef } from './job.ts';

const { cargo, ...ofJob } = job.extensionSchema?.properties ?? {};
const { quantity: _quantity, ...ofCargo } = cargo?.properties ?? {};

/** The type name of a job in the lists of the Data API. */
export const dataApiListType = ({ type }: Entity, environment: string): string =>
  environment === 'demo' ? (job.aliases[0] ?? type) : type;

builder.objectFields(JobRef, (t) => ({
  ...bodyFields(t, object(ofJob), { read: (name) => (row) => row.at(name), unchecked: true }),
  dataApiBody: t.field({
    type: 'JSON',
    description:
      'The body as the Data API returns it: in the shape the job was created in (Shape B for jobs created through the other APIs), with each reference as an object that has the id and the current xref and name of its record.',
    resolve: (row, _args, { load }) => load.dataApiBody(row),
  }),
  dataApiPlacement: t.string({
    nullable: true,
    description:
      'Why the Data API stored the job without a workspace: the value of the header X-Job-Placement. Set only in the result of the operation that created the job; otherwise null.',
    resolve: (row, _args, { domain }) => domain.dataApiJobs.placementOf(row),
  }),
  dataApiListType: t.string({
    description:
      'The type name in the lists of the Data API: svc.nim.job in the demo environment, otherwise svc.inspection.job.',
    resolve: (row, _args, { environment }) => dataApiListType(row, environment),
  }),
}));

builder.objectFields(CargoRef, (t) =>
  bodyFields(t, object(ofCargo), { read: (name) => (row) => row.at('cargo', name), unchecked: true }),
);

builder.mutationFields((t) => ({
  createDataApiJob: t.field({
    type: JobRef,
    description:
      "Requests an inspection as the Data API does, in Shape A or Shape B. The job is created in the one workspace that the tenant of the caller opened or accepted and whose parties are its client and vendor; if there is none, or more than one, it is stored without a workspace and is visible only to the caller's tenant.",
    args: { body: t.arg({ type: 'DataApiJobBody', required: true, description: 'The job.' }) },
    resolve: (_root, { body }, { domain }) => domain.dataApiJobs.create(body),
  }),
  submitDataApiJob: t.field({
    type: JobRef,
    description:
      'Submits an inspection job as the Data API does, in the submit form of Shape A. Each call creates a new job.',
    args: { body: t.arg({ type: 'DataApiJobSubmission', required: true, description: 'The job.' }) },
    resolve: (_root, { body }, { domain }) => domain.dataApiJobs.submit(body),
  }),
  placeJob: t.field({
    type: JobRef,
    description:
      'Moves a job without a workspace into one, where both parties can see it. Its references become catalog records of that workspace, which are created if they do not exist. CONFLICT if the job already has a workspace.',
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The id of the job.' }),
      workspace: t.arg({ type: 'UUID', required: true, description: 'The id of the workspace.' }),
      ...removalArgs(),
    },
    resolve: (_root, { id, workspace, ...expectation }, { domain }) =>
      domain.dataApiJobs.place(id, workspace, expectation),
  }),
}));
