import type { Family } from '../declare/family.ts';

/** The Reference API, with paths that contain 1.0 (interface, "Versioning"). */
export const reference: Family = {
  name: 'reference',
  title: 'Reference catalog API',
  base: '/api/rest/1.0',
  filterStyle: 'none',
};
