import type { Document } from 'mongodb';

/** What a tenant may have of each kind; 0 is no limit. */
export interface Quotas {
  readonly documents: number;
  readonly workspaces: number;
  readonly fileBytes: number;
}

/** What a quota may be of. */
export type QuotaKind = keyof Quotas;

/** Nothing is limited, nor counted. */
export const NO_QUOTAS: Quotas = { documents: 0, workspaces: 0, fileBytes: 0 };

/** What is counted where, by the tenant that sent it, and how the text of a refusal names it. */
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

/** All of them. */
export const KINDS: readonly QuotaKind[] = ['documents', 'workspaces', 'fileBytes'];

/** The collections that usage is counted of, by kind. */
export const USAGE_COLLECTIONS = KINDS.map((kind) => ({ kind, collection: COUNTED[kind].collection }));

/** The stages that count what every tenant has stored, or one of them. */
export const storedUsage = (kind: QuotaKind, tenant?: string): Document[] => [
  { $match: { sender: tenant ?? { $exists: true } } },
  { $group: { _id: '$sender', sum: { $sum: COUNTED[kind].amount } } },
];
