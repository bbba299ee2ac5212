import type { AuditAction, AuditOutcome, AuditPrincipal } from '../../model/audit.ts';

/** A stored line of the audit log. Its id starts with the time, so that it orders the log. */
export interface StoredAuditEntry {
  readonly _id: string;
  readonly tenant: string | null;
  readonly at: Date;
  readonly action: AuditAction;
  readonly principal: AuditPrincipal | null;
  readonly address?: string | undefined;
  readonly request_id?: string | undefined;
  readonly operation?: string | undefined;
  readonly entity: string | null;
  readonly outcome: AuditOutcome;
  readonly expires_at: Date;
}
