import type { HealthReport } from '../src/model/health.ts';
import { HEALTHY } from '../src/model/health.ts';
import { builder } from './building/builder.ts';

const Health = builder.objectRef<HealthReport>('Health').implement({
  description: 'The state of the three parts of the service.',
  fields: (t) => ({
    transport: t.string({ description: 'The state of the GraphQL layer.', resolve: () => HEALTHY }),
    metadataStore: t.exposeString('metadataStore', { description: 'Whether MongoDB responds and is writable.' }),
    dataStore: t.exposeString('dataStore', { description: 'Whether GridFS is readable.' }),
    healthy: t.boolean({
      description: 'Whether all three parts are healthy.',
      resolve: ({ metadataStore, dataStore }) => metadataStore === HEALTHY && dataStore === HEALTHY,
    }),
  }),
});

builder.queryField('health', (t) =>
  t.field({
    type: Health,
    description:
      'The health of the service. It requires no credential in the demo, but one in production, as everything does; `GET /bridge/v1/health` never requires one.',
    resolve: (_root, _args, { health }) => health(),
  }),
);
