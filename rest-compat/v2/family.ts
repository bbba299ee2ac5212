import type { Family } from '../declare/family.ts';

/** The Workspace API in its v2 form: envelopes, `filter[...]`, 25 items unless asked otherwise (interface, "v2"). */
export const v2: Family = {
  name: 'v2',
  title: 'Workspace integration API, v2',
  base: '/v2',
  filterStyle: 'bracketed',
  defaultLimit: 25,
};
