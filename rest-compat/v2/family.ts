import type { Family } from '../declare/family.ts';

/** The v2 Workspace API: envelopes, `filter[...]`, 25 items by default (interface, "v2"). */
export const v2: Family = {
  name: 'v2',
  title: 'Workspace integration API, v2',
  base: '/v2',
  filterStyle: 'bracketed',
  defaultLimit: 25,
};
