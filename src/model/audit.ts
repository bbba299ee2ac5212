/** The actions that the audit log records, each with a description (contract §12, "Audit log"). */
export const AUDIT_ACTIONS = {
  'document.deleted': 'A document was deleted, by itself or with what it belonged to.',
  'attachment.deleted': 'An attachment was deleted, by itself or with its document.',
  'catalog_record.deleted': 'A catalog record was deleted, by itself or with its workspace.',
  'synonym.deleted': 'A synonym was deleted, by itself or with a record or the workspace.',
  'workspace.deleted': 'A workspace was deleted.',
  'organization.deleted': 'An organization was deleted.',
  'reference_record.deactivated': 'A reference record was set INACTIVE, which is how the Reference API deletes.',
  sign_in: 'Someone signed in, or tried to.',
  sign_out: 'Someone signed out.',
  'access.refused': "Access to another tenant's entity was refused (403).",
  'file.downloaded': 'The contents of a file were read.',
  'key.created': 'An API key was created.',
  'key.changed': 'An API key was changed.',
  'key.rotated': 'An API key was given a new secret.',
  'key.revoked': 'An API key was revoked.',
  'user.created': 'A user was added.',
  'user.changed': 'A user was changed.',
  'user.password_changed': 'A user was given another password.',
  'user.disabled': 'A user was disabled.',
  'user.enabled': 'A user may sign in again.',
  'user.sessions_ended': 'Sessions of a user were ended.',
  'webhook.created': 'A webhook was created.',
  'webhook.changed': 'A webhook was changed.',
  'webhook.deleted': 'A webhook was deleted.',
  'webhook.rotated': 'The secret of a webhook was replaced.',
  'webhook.replayed': 'Past events were requested to be sent to a webhook again.',
  'webhook.enabled': 'A webhook was enabled again.',
  'webhook.disabled': 'A webhook was disabled, by a user or because its deliveries failed.',
  'database.restored': 'The database was replaced by a backup.',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** Whether text is the name of an action. */
export const isAuditAction = (text: string): text is AuditAction => Object.hasOwn(AUDIT_ACTIONS, text);

/** The outcome of a recorded action. */
export type AuditOutcome = 'success' | 'failure' | 'denied';

/** Who performed an action; the id is null for the command line and for the service itself. */
export interface AuditPrincipal {
  readonly id: string | null;
  readonly name: string;
}

/** Who performs an action, and in which request. */
export interface AuditSource {
  /** The tenant whose log has the entry; null if it belongs to none: only the command line exports those. */
  readonly tenant: string | null;
  /** Null if unknown. */
  readonly principal: AuditPrincipal | null;
  readonly address?: string | undefined;
  readonly requestId?: string | undefined;
  /** The id of the REST endpoint, or the name of the GraphQL operation. */
  readonly operation?: string | undefined;
}

/** One line of the audit log. */
export interface AuditEntry extends AuditSource {
  readonly at: Date;
  readonly action: AuditAction;
  /** The id of the affected entity. */
  readonly entity: string | null;
  readonly outcome: AuditOutcome;
}

/** An entry as read from the log, with its own id, which ascends with time. */
export interface RecordedEntry extends AuditEntry {
  readonly id: string;
}

/** The request behind an action. */
export interface RequestOrigin {
  readonly requestId?: string | undefined;
  readonly address?: string | undefined;
  readonly operation?: string | undefined;
}

/** The actor of changes that the service makes by itself, when the original caller is no longer known. */
export const THE_SERVICE: AuditSource = { tenant: null, principal: { id: null, name: 'the service' } };
