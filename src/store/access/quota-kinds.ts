import type { Document } from 'mongodb';

/** A tenant's limits by kind; 0 means no limit. */
export interface Quotas {
  readonly documents: number;
  readonly workspaces: number;
  readonly fileBytes: number;
}

/** The kinds of things quotas limit. */
export type QuotaKind = keyof Quotas;

/** No limits, and nothing is counted. */
export const NO_QUOTAS: Quotas = { documents: 0, workspaces: 0, fileBytes: 0 };

/** Where each kind is counted, by the tenant that sent it, and what the refusal text calls it. */
export const COUNTED = {
  documents: { collection: 'documents', amount: 1, noun: 'documents', variable: 'MAX_TENANT_DOCUMENTS' },
  workspaces: { collection: 'workspaces', amount: 1, noun: 'workspaces', variable: 'MAX_TENANT_WORKSPACES' },
  fileBytes: {
    collection: 'attachments',
    amount: '$body.size',
    noun: 'bytes of files',
    variable: 'MAX_TENANT_FILE_BYTES',
  },
} as const;

/** All kinds. */
export const KINDS: readonly QuotaKind[] = ['documents', 'workspaces', 'fileBytes'];

/** The collections whose usage is counted, by kind. */
export const USAGE_COLLECTIONS = KINDS.map((kind) => ({ kind, collection: COUNTED[kind].collection }));

/** The aggregation stages that count what one tenant, or every tenant, has stored. */
export const storedUsage = (kind: QuotaKind, tenant?: string): Document[] => [
  { $match: { sender: tenant ?? { $exists: true } } },
  { $group: { _id: '$sender', sum: { $sum: COUNTED[kind].amount } } },
];
