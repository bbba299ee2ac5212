import type { Family } from '../declare/family.ts';

/** The Workspace API in its legacy form: bare bodies, filters without prefix, whole lists (interface, "Workspace API"). */
export const legacy: Family = {
  name: 'legacy',
  title: 'Workspace integration API, legacy',
  base: '',
  filterStyle: 'bare',
};
