import type { Family } from '../declare/family.ts';

/** The legacy Workspace API: bare bodies, filters without a prefix, whole lists (interface, "Workspace API"). */
export const legacy: Family = {
  name: 'legacy',
  title: 'Workspace integration API, legacy',
  base: '',
  filterStyle: 'bare',
};
