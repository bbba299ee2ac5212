import type { Ask, TestService } from '../../service.ts';

export const BASE = '/api/rest/1.0';

/** The four collections, each with the minimal body it takes. */
export const COLLECTIONS = {
  ports: { name: 'Rotterdam' },
  inland_facilities: { name: 'Tank farm 1' },
  grades: {
    name: 'Gas oil 0.1%',
    gradeTypeCode: 'NDP_DIESEL_FUELS',
    description: 'Low sulfur',
    gradeStatusCode: 'ACTIVE',
    isSensitive: false,
  },
  companies: { name: 'Kestrel Oil' },
} as const;
export type Collection = keyof typeof COLLECTIONS;
export const NAMES = Object.keys(COLLECTIONS) as Collection[];

export const statusOf = (name: Collection): string => (name === 'grades' ? 'gradeStatusCode' : 'statusCode');

/** Sends requests below the family's base path, as the client by default. */
export const asking =
  (service: () => TestService) =>
  (method: string, path: string, body?: unknown, more: Ask = {}) =>
    service().ask(method, `${BASE}/${path}`, { as: 'client', ...(body !== undefined && { body }), ...more });
