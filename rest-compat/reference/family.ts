import type { Family } from '../declare/family.ts';

/** The Reference API, the reference catalogs; its paths carry 1.0 (interface, "Versioning"). */
export const reference: Family = {
  name: 'reference',
  title: 'Reference catalog API',
  base: '/api/rest/1.0',
  filterStyle: 'none',
};
