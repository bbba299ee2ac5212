import { ServiceError } from '../../src/errors.ts';
import type { Family } from '../declare/family.ts';

const VERSION = '1.0';

/** The Data API: paths with v1, and an optional version header (interface, "Versioning"). */
export const dataApi: Family = {
  name: 'bridge',
  title: 'Data API',
  base: '/bridge/v1',
  filterStyle: 'none',
  version: VERSION,
  check: ({ headers }) => {
    const asked = headers['accept-version'] || VERSION;
    if (asked === VERSION) return undefined;
    return new ServiceError('UNSUPPORTED_VERSION', `Accept-Version: ${asked} does not exist. Allowed: ${VERSION}.`);
  },
};
