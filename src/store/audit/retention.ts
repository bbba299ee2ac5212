const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long the audit log and tombstones are kept, unless AUDIT_TTL_DAYS says otherwise. */
export const AUDIT_TTL_DAYS = 400;

/** When MongoDB may remove something recorded at that time. */
export const expiryOf = (at: Date, days: number): Date => new Date(at.getTime() + days * DAY_MS);
