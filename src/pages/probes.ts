import { type Response, Router } from 'express';
import { HEALTHY, type HealthReport } from '../model/health.ts';

interface ProbeParts {
  readonly health: () => Promise<HealthReport>;
  /** Whether a stop was requested. */
  readonly isStopping: () => boolean;
}

/**
 * `GET /livez`: the process is running. `GET /readyz`: it can serve, which is false while MongoDB is unusable and once a
 * stop is requested (contract §16).
 */
export function probes({ health, isStopping }: ProbeParts): Router {
  const router = Router();
  router.get('/livez', (_request, response) => answer(response, undefined));
  router.get('/readyz', (_request, response, next) => {
    if (isStopping()) answer(response, 'The service is stopping.');
    else health().then((report) => answer(response, problemOf(report)), next);
  });
  return router;
}

function problemOf({ metadataStore, dataStore }: HealthReport): string | undefined {
  if (metadataStore !== HEALTHY) return `The metadata store is ${metadataStore}.`;
  return dataStore === HEALTHY ? undefined : `The data store is ${dataStore}.`;
}

function answer(response: Response, reason: string | undefined): void {
  response.set('Cache-Control', 'no-store').status(reason === undefined ? 200 : 503);
  response.json(reason === undefined ? { status: 'ok' } : { status: 'unavailable', reason });
}
