import { builder } from './building/builder.ts';
import { dataApiListType } from './data-api-job.ts';
import { JobRef } from './job.ts';

const renamed = (name: string) => `Renamed to ${name}; removed in 1.0.`;

builder.objectFields(JobRef, (t) => ({
  bridgeBody: t.field({
    type: 'JSON',
    description: 'The former name of dataApiBody.',
    deprecationReason: renamed('dataApiBody'),
    resolve: (row, _args, { load }) => load.dataApiBody(row),
  }),
  bridgeListType: t.string({
    description: 'The former name of dataApiListType.',
    deprecationReason: renamed('dataApiListType'),
    resolve: (row, _args, { environment }) => dataApiListType(row, environment),
  }),
}));

builder.mutationFields((t) => ({
  createBridgeJob: t.field({
    type: JobRef,
    description: 'The former name of createDataApiJob.',
    deprecationReason: renamed('createDataApiJob'),
    args: { body: t.arg({ type: 'BridgeJobBody', required: true, description: 'The job.' }) },
    resolve: (_root, { body }, { domain }) => domain.dataApiJobs.create(body),
  }),
  submitBridgeJob: t.field({
    type: JobRef,
    description: 'The former name of submitDataApiJob.',
    deprecationReason: renamed('submitDataApiJob'),
    args: { body: t.arg({ type: 'BridgeJobSubmission', required: true, description: 'The job.' }) },
    resolve: (_root, { body }, { domain }) => domain.dataApiJobs.submit(body),
  }),
}));
