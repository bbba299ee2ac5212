import { parseArgs } from 'node:util';
import { hashSecret } from '../auth/credential-cache.ts';
import { newKey } from '../auth/keys.ts';
import { SCOPES } from '../auth/viewer.ts';
import { SYSTEM_CLOCK_AND_IDS } from '../domain/request/clock-and-ids.ts';
import { DATETIME_FORMS, instantOf } from '../model/instant.ts';
import { isUuid } from '../model/uuid.ts';
import type { StoredKey } from '../store/access/principals.ts';
import { commandLineEntry } from './audit/command-line-entry.ts';
import {
  refuseAny,
  runOnDatabase,
  scopesOf,
  surplus,
  tenantOf,
  UsageError,
  type Values,
  type Work,
} from './on-database.ts';

const USAGE = `npm run cli -- keys create --tenant UUID --name NAME --scopes ${SCOPES.join(',')} [--expires WHEN]
npm run cli -- keys list --tenant UUID
npm run cli -- keys revoke ID`;

const LONGEST_NAME = 200;

/** Makes, lists and revokes API keys. */
export const run = (args: readonly string[]): Promise<number> => runOnDatabase(USAGE, () => workOf(args));

function workOf(args: readonly string[]): Work {
  const { values, positionals } = parsed(args);
  const [verb = '', ...rest] = positionals;
  if (verb === 'create') return create(values, rest);
  if (verb === 'list') return list(values, rest);
  if (verb === 'revoke') return revoke(values, rest);
  throw new UsageError(verb === '' ? 'What is to be done with keys?' : `keys cannot "${verb}".`);
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { tenant: text, name: text, scopes: text, expires: text },
    });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

function create(values: Values, rest: readonly string[]): Work {
  const faults = surplus(values, rest, ['tenant', 'name', 'scopes', 'expires']);
  const now = SYSTEM_CLOCK_AND_IDS.now();
  const tenant = tenantOf(values, faults);
  const name = values.name?.trim() ?? '';
  if (name === '' || name.length > LONGEST_NAME) {
    faults.push(`--name must say whose key it is, in 1 to ${LONGEST_NAME} characters.`);
  }
  const scopes = scopesOf(values, faults);
  const expires = values.expires === undefined ? undefined : instantOf(values.expires);
  if (values.expires !== undefined && (expires === undefined || expires <= now)) {
    faults.push(`--expires must lie in the future, as ${DATETIME_FORMS}.`);
  }
  refuseAny(faults);
  const key = newKey();
  const stored: StoredKey = {
    _id: SYSTEM_CLOCK_AND_IDS.newId(),
    kind: 'key',
    hash: hashSecret(key),
    tenant,
    name,
    scopes,
    created_at: now,
    ...(expires && { expires_at: expires }),
  };
  return async ({ principals, audit, transaction }) => {
    const change = { tenant, action: 'key.created', entity: stored._id, command: 'keys create' } as const;
    await transaction(async (tx) => {
      await principals.putKey(stored, tx);
      await audit.add([commandLineEntry(change)], tx);
    });
    console.error(`${described(stored, now)}\nThis is the key. It is shown now and never again:`);
    console.log(key);
  };
}

function list(values: Values, rest: readonly string[]): Work {
  const faults = surplus(values, rest, ['tenant']);
  const tenant = tenantOf(values, faults);
  refuseAny(faults);
  return async ({ principals }) => {
    const keys = await principals.keysOf(tenant);
    for (const key of keys) console.log(described(key, SYSTEM_CLOCK_AND_IDS.now()));
    if (keys.length === 0) console.log(`The tenant ${tenant} has no keys.`);
  };
}

function revoke(values: Values, [id = '', ...rest]: readonly string[]): Work {
  const faults = surplus(values, rest, []);
  if (!isUuid(id)) faults.push('revoke needs the id of a key, which is a UUID: `keys list` tells it.');
  refuseAny(faults);
  return async ({ principals, audit, transaction }) => {
    const known = await transaction(async (tx) => {
      const key = await principals.revokeKey(id.toLowerCase(), SYSTEM_CLOCK_AND_IDS.now(), tx);
      if (!key) return undefined;
      const change = { tenant: key.tenant, action: 'key.revoked', entity: key._id, command: 'keys revoke' } as const;
      await audit.add([commandLineEntry(change)], tx);
      return key;
    });
    if (!known) throw new Error(`There is no key with the id ${id}.`);
    console.log(`${id} is revoked. Every gateway refuses it within a few seconds.`);
  };
}

function described({ _id, name, scopes, created_at, expires_at, revoked_at, demo }: StoredKey, now: Date): string {
  const state = revoked_at
    ? `revoked ${revoked_at.toISOString()}`
    : expires_at && expires_at <= now
      ? `expired ${expires_at.toISOString()}`
      : expires_at
        ? `expires ${expires_at.toISOString()}`
        : 'does not expire';
  const notes = [`created ${created_at.toISOString()}`, state, ...(demo ? ['for the demo only'] : [])];
  return `${_id}  ${scopes.join(',')}  "${name}"  ${notes.join(', ')}`;
}
