import { hashSecret } from '../auth/credential-cache.ts';
import { keyPrefix, newKey } from '../auth/keys.ts';
import { SCOPES } from '../auth/viewer.ts';
import { SYSTEM_CLOCK_AND_IDS } from '../domain/request/clock-and-ids.ts';
import { PROGRAM } from '../model/command-line.ts';
import { DATETIME_FORMS, requestedInstantOf } from '../model/instant.ts';
import { isUuid } from '../model/uuid.ts';
import type { StoredKey } from '../store/access/principals.ts';
import { refuseAny, unknownVerb } from './arguments/usage-error.ts';
import { readWords, scopesOf, surplus, tenantOf, type Values } from './arguments/words.ts';
import { commandLineEntry } from './audit/command-line-entry.ts';
import { runOnDatabase, type Work } from './on-database.ts';
import { isPrintable, printable, UNPRINTABLE } from './output/printable.ts';
import { written } from './output/stdout.ts';

export const USAGE = `${PROGRAM} keys create --tenant UUID --name NAME --scopes ${SCOPES.join(',')} [--expires WHEN|never]
${PROGRAM} keys list [--tenant UUID]
${PROGRAM} keys rotate ID [--overlap 7d] [--expires WHEN|never]
${PROGRAM} keys revoke ID`;

const LONGEST_NAME = 200;

/** The default lifetime of a key, and how long a rotated key stays valid. */
const YEAR_MS = 365 * 24 * 60 * 60_000;
const DEFAULT_OVERLAP = '7d';

/** Creates, lists, rotates and revokes API keys. */
export const run = (args: readonly string[]): Promise<void> => runOnDatabase(() => workOf(args));

function workOf(args: readonly string[]): Work {
  const { values, positionals } = readWords(args, ['tenant', 'name', 'scopes', 'expires', 'overlap']);
  const [verb = '', ...rest] = positionals;
  if (verb === 'create') return create(values, rest);
  if (verb === 'list') return list(values, rest);
  if (verb === 'rotate') return rotate(values, rest);
  if (verb === 'revoke') return revoke(values, rest);
  throw unknownVerb('keys', verb);
}

function create(values: Values, rest: readonly string[]): Work {
  const problems = surplus(values, rest, ['tenant', 'name', 'scopes', 'expires']);
  const now = SYSTEM_CLOCK_AND_IDS.now();
  const tenant = tenantOf(values, problems);
  const name = values.name?.trim() ?? '';
  if (name === '' || name.length > LONGEST_NAME) {
    problems.push(`--name must say whose key it is, in 1 to ${LONGEST_NAME} characters.`);
  }
  if (!isPrintable(name)) problems.push(`--name ${UNPRINTABLE}`);
  const scopes = scopesOf(values, problems);
  const expires = expiryOf(values, now, problems);
  refuseAny(problems);
  const key = newKey();
  const stored: StoredKey = {
    _id: SYSTEM_CLOCK_AND_IDS.newId(),
    kind: 'key',
    hash: hashSecret(key),
    tenant,
    name,
    scopes,
    created_at: now,
    prefix: keyPrefix(key),
    ...(expires && { expires_at: expires }),
  };
  return async ({ principals, audit, transaction }) => {
    const change = { tenant, action: 'key.created', entity: stored._id, command: 'keys create' } as const;
    const show = showing(key);
    await transaction(async (tx) => {
      await principals.putKey(stored, tx);
      await audit.add([commandLineEntry(change)], tx);
      await show.before(described(stored, now));
    }).catch(show.doubt);
  };
}

/**
 * Shows a new key once, before the transaction that stores it commits: if the output fails, nothing is stored and no other
 * key ends. If the commit fails, it says that the key just shown may not be valid.
 */
function showing(key: string) {
  let isShown = false;
  return {
    before: async (description: string): Promise<void> => {
      if (isShown) return;
      console.error(`${description}\nThis is the key. It is shown now and never again:`);
      console.log(key);
      await written().catch((error: Error) => {
        throw new Error(`${error.message} The key is not valid, and nothing has changed.`, { cause: error });
      });
      isShown = true;
    },
    doubt: (error: Error): never => {
      if (!isShown) throw error;
      throw new Error(
        `${error.message}\nThe key above may not be valid: it is if \`keys list\` shows one that begins with ${keyPrefix(key)}.`,
        { cause: error },
      );
    },
  };
}

/** When a new key expires: by default in a year; null for never. */
function expiryOf({ expires }: Values, now: Date, problems: string[]): Date | null {
  if (expires === undefined) return new Date(now.getTime() + YEAR_MS);
  if (expires === 'never') return null;
  const at = requestedInstantOf(expires);
  if (at !== undefined && at > now) return at;
  problems.push(
    `--expires must lie in the future, as ${DATETIME_FORMS}, or be never; without it a key works for a year.`,
  );
  return null;
}

/** Gives a key a new secret under the same id, so that everything counted by principal carries on. */
function rotate(values: Values, [id = '', ...rest]: readonly string[]): Work {
  const problems = surplus(values, rest, ['overlap', 'expires']);
  if (!isUuid(id)) problems.push('rotate needs the id of a key, which is a UUID: `keys list` shows it.');
  const now = SYSTEM_CLOCK_AND_IDS.now();
  const expires = expiryOf(values, now, problems);
  const overlap = overlapOf(values, problems);
  refuseAny(problems);
  const key = newKey();
  return async ({ principals, audit, transaction }) => {
    const show = showing(key);
    await transaction(async (tx) => {
      const old = await principals.keyOf(id.toLowerCase(), tx);
      if (!old) throw new Error(`There is no key with the id ${id}.`);
      if (old.revoked_at || (old.expires_at && old.expires_at <= now)) {
        throw new Error(`${id} is revoked or has expired. Create another one with keys create.`);
      }
      const until = new Date(Math.min(now.getTime() + overlap, old.expires_at?.getTime() ?? Number.POSITIVE_INFINITY));
      const { hash, prefix, last_used_at } = old;
      const previous = { hash, expires_at: until, ...(prefix && { prefix }), ...(last_used_at && { last_used_at }) };
      const rotation = { hash: hashSecret(key), prefix: keyPrefix(key), expires_at: expires, previous };
      if (!(await principals.rotateKey(old, rotation, tx)))
        throw new Error(`${id} was changed in the meantime; try again.`);
      const change = { tenant: old.tenant, action: 'key.rotated', entity: old._id, command: 'keys rotate' } as const;
      await audit.add([commandLineEntry(change)], tx);
      const rotated = await principals.keyOf(old._id, tx);
      if (rotated) await show.before(described(rotated, now));
    }).catch(show.doubt);
  };
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** How long the old key stays valid, in milliseconds. */
function overlapOf({ overlap = DEFAULT_OVERLAP }: Values, problems: string[]): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(overlap) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) * UNITS[unit as keyof typeof UNITS];
  problems.push(
    '--overlap must be a number of seconds, minutes, hours or days, such as 30m, 24h or 7d; 0s ends the old key.',
  );
  return 0;
}

/** Lists the keys of a tenant, or of all: whoever finds a key somewhere knows how it begins, but not whose it is. */
function list(values: Values, rest: readonly string[]): Work {
  const problems = surplus(values, rest, ['tenant']);
  const tenant = values.tenant === undefined ? undefined : tenantOf(values, problems);
  refuseAny(problems);
  return async ({ principals }) => {
    const keys = await principals.keysOf(tenant);
    const now = SYSTEM_CLOCK_AND_IDS.now();
    for (const key of keys) console.log(`${tenant === undefined ? `${key.tenant}  ` : ''}${described(key, now)}`);
    if (keys.length === 0)
      console.log(tenant === undefined ? 'There are no keys.' : `The tenant ${tenant} has no keys.`);
  };
}

function revoke(values: Values, [id = '', ...rest]: readonly string[]): Work {
  const problems = surplus(values, rest, []);
  if (!isUuid(id)) problems.push('revoke needs the id of a key, which is a UUID: `keys list` shows it.');
  refuseAny(problems);
  return async ({ principals, audit, transaction }) => {
    const known = await transaction(async (tx) => {
      const key = await principals.revokeKey(id.toLowerCase(), SYSTEM_CLOCK_AND_IDS.now(), tx);
      if (!key || key.revoked_at) return key;
      const change = { tenant: key.tenant, action: 'key.revoked', entity: key._id, command: 'keys revoke' } as const;
      await audit.add([commandLineEntry(change)], tx);
      return key;
    });
    if (!known) throw new Error(`There is no key with the id ${id}.`);
    console.log(
      known.revoked_at
        ? `${id} was revoked already, ${known.revoked_at.toISOString()}.`
        : `${id} is revoked. Every gateway refuses it within a few seconds.`,
    );
  };
}

function described(key: StoredKey, now: Date): string {
  const { _id, name, scopes, created_at, previous } = key;
  const notes = [
    ...(key.prefix ? [`begins ${key.prefix}`] : []),
    `created ${created_at.toISOString()}`,
    stateOf(key, now),
    usedAt(key.last_used_at),
    ...(previous && previous.expires_at > now && !key.revoked_at
      ? [
          `the one before${previous.prefix ? `, ${previous.prefix},` : ''} works until ${previous.expires_at.toISOString()} and was ${usedAt(previous.last_used_at)}`,
        ]
      : []),
    ...(key.demo ? ['for the demo only'] : []),
  ];
  return `${_id}  ${scopes.join(',')}  "${printable(name)}"  ${notes.join(', ')}`;
}

function stateOf({ revoked_at, expires_at }: StoredKey, now: Date): string {
  if (revoked_at) return `revoked ${revoked_at.toISOString()}`;
  if (!expires_at) return 'does not expire';
  return `${expires_at <= now ? 'expired' : 'expires'} ${expires_at.toISOString()}`;
}

const usedAt = (at: Date | undefined): string => (at ? `last used ${at.toISOString()}` : 'never used');
