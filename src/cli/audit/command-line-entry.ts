import { userInfo } from 'node:os';
import type { AuditAction, AuditEntry } from '../../model/audit.ts';

/** What a command changed. */
export interface CommandLineChange {
  /** The tenant whose log records it; null for changes that concern all tenants. */
  readonly tenant: string | null;
  readonly action: AuditAction;
  readonly entity: string | null;
  /** The command, such as `keys create`. */
  readonly command: string;
}

/** The audit entry for a change by a command, to be added in the same transaction. */
export const commandLineEntry = ({ command, ...change }: CommandLineChange): AuditEntry => ({
  ...change,
  at: new Date(),
  principal: { id: null, name: `command line (${accountName()})` },
  operation: `cli ${command}`,
  outcome: 'success',
});

/** The operating system account that runs the command. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // a user id without an account, as in some containers
  }
}
