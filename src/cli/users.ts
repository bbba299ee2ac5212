import { passwordViolation } from '../auth/password-rules.ts';
import { hashPassword } from '../auth/passwords.ts';
import { SCOPES } from '../auth/viewer.ts';
import { SYSTEM_CLOCK_AND_IDS } from '../domain/request/clock-and-ids.ts';
import type { AuditAction } from '../model/audit.ts';
import { PROGRAM } from '../model/command-line.ts';
import { MAX_LENGTHS, usernameKey } from '../model/session.ts';
import type { StoredUser, UserChange } from '../store/access/users.ts';
import { duplicateKeyIndex } from '../store/duplicate-key.ts';
import { UNIQUE } from '../store/indexes/indexes.ts';
import type { Stores } from '../store/stores.ts';
import { refuseAny, unknownVerb } from './arguments/usage-error.ts';
import { readWords, scopesOf, surplus, tenantOf, type Values } from './arguments/words.ts';
import { askPassword } from './ask-password.ts';
import { commandLineEntry } from './audit/command-line-entry.ts';
import { runOnDatabase, type Work } from './on-database.ts';
import { isPrintable, printable, UNPRINTABLE } from './output/printable.ts';

export const USAGE = `${PROGRAM} users add --tenant UUID --username NAME --scopes ${SCOPES.join(',')}
${PROGRAM} users list --tenant UUID
${PROGRAM} users password NAME
${PROGRAM} users disable NAME
${PROGRAM} users enable NAME
"add" and "password" ask for the password, or read it from the first line of stdin.`;

/** Adds and lists users who sign in, changes their passwords, and disables them. */
export const run = (args: readonly string[]): Promise<void> => runOnDatabase(() => workOf(args));

function workOf(args: readonly string[]): Work | Promise<Work> {
  const { values, positionals } = readWords(args, ['tenant', 'username', 'scopes']);
  const [verb = '', ...rest] = positionals;
  if (verb === 'add') return add(values, rest);
  if (verb === 'list') return list(values, rest);
  if (verb === 'password') return changePassword(values, rest);
  if (verb === 'disable') {
    return change(values, rest, {
      set: { disabled_at: SYSTEM_CLOCK_AND_IDS.now() },
      action: 'user.disabled',
      command: 'users disable',
      said: 'is disabled. Every gateway refuses its sessions within a few seconds.',
    });
  }
  if (verb === 'enable') {
    const enabling = { action: 'user.enabled', command: 'users enable' } as const;
    return change(values, rest, { ...enabling, set: { disabled_at: null }, said: 'may sign in.' });
  }
  throw unknownVerb('users', verb);
}

async function add(values: Values, rest: readonly string[]): Promise<Work> {
  const problems = surplus(values, rest, ['tenant', 'username', 'scopes']);
  const tenant = tenantOf(values, problems);
  const username = values.username?.trim() ?? '';
  if (username === '' || username.length > MAX_LENGTHS.username) {
    problems.push(`--username must be what the user signs in with, in 1 to ${MAX_LENGTHS.username} characters.`);
  }
  if (!isPrintable(username)) problems.push(`--username ${UNPRINTABLE}`);
  const scopes = scopesOf(values, problems);
  refuseAny(problems);
  const user: StoredUser = {
    _id: SYSTEM_CLOCK_AND_IDS.newId(),
    kind: 'user',
    username,
    username_key: usernameKey(username),
    ...(await newPassword(username)),
    tenant,
    scopes,
    created_at: SYSTEM_CLOCK_AND_IDS.now(),
  };
  return async ({ users, audit, transaction }) => {
    const change = { tenant, action: 'user.created', entity: user._id, command: 'users add' } as const;
    await transaction(async (tx) => {
      await users.insert(user, tx);
      await audit.add([commandLineEntry(change)], tx);
    }).catch((error: unknown) => {
      if (duplicateKeyIndex(error) !== UNIQUE.username) throw error;
      throw new Error(`There is already a user ${username}; letter case does not matter.`);
    });
    console.log(described(user));
  };
}

function list(values: Values, rest: readonly string[]): Work {
  const problems = surplus(values, rest, ['tenant']);
  const tenant = tenantOf(values, problems);
  refuseAny(problems);
  return async ({ users }) => {
    const found = await users.listOf(tenant);
    for (const user of found) console.log(described(user));
    if (found.length === 0) console.log(`The tenant ${tenant} has no users.`);
  };
}

async function changePassword(values: Values, rest: readonly string[]): Promise<Work> {
  const [username, problems] = named(values, rest);
  refuseAny(problems);
  const set = await newPassword(username);
  const changing = { action: 'user.password_changed', command: 'users password' } as const;
  return (stores) =>
    update(stores, username, { ...changing, set, said: 'has a new password; its sessions have ended.' });
}

interface Change {
  readonly set: UserChange;
  /** The action recorded in the audit log. */
  readonly action: AuditAction;
  readonly command: string;
  /** The message printed after the name on success. */
  readonly said: string;
}

function change(values: Values, rest: readonly string[], what: Change): Work {
  const [username, problems] = named(values, rest);
  refuseAny(problems);
  return (stores) => update(stores, username, what);
}

function named(values: Values, [username = '', ...rest]: readonly string[]): [string, string[]] {
  const problems = surplus(values, rest, []);
  if (username === '') problems.push('The name of the user is missing: `users list` shows it.');
  return [username, problems];
}

/** Changes a user and ends their sessions. */
async function update(stores: Stores, username: string, { set, action, command, said }: Change): Promise<void> {
  const { users, sessions, audit } = stores;
  const user = await stores.transaction(async (tx) => {
    const changed = await users.update(username, set, tx);
    if (!changed) return undefined;
    await sessions.eraseOf(changed._id, { tx });
    const change = { tenant: changed.tenant, action, entity: changed._id, command };
    await audit.add([commandLineEntry(change)], tx);
    return changed;
  });
  if (!user) throw new Error(`There is no user ${username}.`);
  console.log(`${user.username} ${said}`);
}

/** Asks for a password, twice if it is typed without echo. */
async function newPassword(username: string): Promise<{ password: string; password_id: string }> {
  const keyboard = { input: process.stdin, output: process.stderr };
  const password = await askPassword('Password: ', keyboard);
  const problem = await passwordViolation(password, username);
  if (problem !== undefined) throw new Error(`The password ${problem}`);
  if (process.stdin.isTTY && (await askPassword('The same again: ', keyboard)) !== password) {
    throw new Error('The passwords do not match.');
  }
  return { password: await hashPassword(password), password_id: SYSTEM_CLOCK_AND_IDS.newId() };
}

function described({ _id, username, scopes, created_at, disabled_at, demo }: StoredUser): string {
  const state = disabled_at ? `disabled ${disabled_at.toISOString()}` : 'may sign in';
  const notes = [`created ${created_at.toISOString()}`, state, ...(demo ? ['for the demo only'] : [])];
  return `${_id}  ${scopes.join(',')}  "${printable(username)}"  ${notes.join(', ')}`;
}
