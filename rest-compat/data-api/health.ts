import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { report } from '../declare/reply.ts';
import { dataApi } from './family.ts';

/** /bridge/v1/health: the state of the three parts of the service. */
export const health: readonly Endpoint[] = [
  endpoint(dataApi, {
    id: 'bridge.health.get',
    route: 'GET /health',
    summary:
      'Reports the health of the three parts of the service. 200 if all are healthy, otherwise 503 with the same report.',
    operation: 'query BridgeHealthGet { health { transport metadataStore dataStore healthy } }',
    variables: {},
    reply: report({
      view: { transport: 'transport', metadataStore: 'metadataStore', dataStore: 'dataStore' },
      good: 'healthy',
      failed: { transport: 'not answering', metadataStore: 'unknown', dataStore: 'unknown', healthy: false },
    }),
    errors: [],
    open: true,
  }),
];
