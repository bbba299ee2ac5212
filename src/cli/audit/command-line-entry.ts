import { userInfo } from 'node:os';
import type { AuditAction, AuditEntry } from '../../model/audit.ts';

/** What a command changed. */
export interface CommandLineChange {
  /** The tenant in whose log it is; null for what concerns all of them. */
  readonly tenant: string | null;
  readonly action: AuditAction;
  readonly entity: string | null;
  /** The command, such as `keys create`. */
  readonly command: string;
}

/** The line of the audit log about what a command changes, to be added in the same transaction. */
export const commandLineEntry = ({ command, ...change }: CommandLineChange): AuditEntry => ({
  ...change,
  at: new Date(),
  principal: { id: null, name: `command line (${accountName()})` },
  operation: `cli ${command}`,
  outcome: 'success',
});

/** The operating system's name of who runs the command. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // a user id without an account, as in some containers
  }
}
