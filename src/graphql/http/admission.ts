import type { Viewer } from '../../auth/viewer.ts';
import type { Environment } from '../../config.ts';
import { unauthenticated } from '../../errors.ts';
import type { Gateway } from '../../gateway.ts';
import type { DatabaseWatch } from '../../store/connection/database-watch.ts';
import type { GraphqlRequest } from './graphql-request.ts';

export interface AdmissionParts {
  readonly gateway: Gateway;
  readonly watch: DatabaseWatch;
  readonly environment: Environment;
}

/** The outcomes of admission. */
interface Admitted {
  serve(): void;
  refuse(error: unknown): void;
}

/** Rechecks the credential of a request once its body has arrived; throws if it ended meanwhile. */
export function readmission({ gateway, watch }: AdmissionParts) {
  return ({ req, logged }: GraphqlRequest): Promise<number> | number => {
    const checked = gateway.recheck(req, logged.started);
    return checked instanceof Promise ? watch.race(checked) : checked;
  };
}

/**
 * Authenticates a request before any of its body is read (contract §12), and records the viewer in `logged.viewer`. In
 * production, nobody is served without a credential (contract §11).
 */
export function admission({ gateway, watch, environment }: AdmissionParts) {
  const admit = ({ logged }: GraphqlRequest, viewer: Viewer | undefined): void => {
    logged.viewer = viewer;
    if (viewer === undefined && environment === 'production') throw unauthenticated();
  };
  return (asked: GraphqlRequest, { serve, refuse }: Admitted): void => {
    const { req } = asked;
    try {
      watch.check();
      const known = gateway.authenticate(req, req.method !== 'GET');
      if (known instanceof Promise) {
        watch
          .race(known)
          .then((viewer) => admit(asked, viewer))
          .then(serve, refuse)
          .catch(refuse);
        return;
      }
      admit(asked, known);
    } catch (error) {
      refuse(error);
      return;
    }
    serve();
  };
}
