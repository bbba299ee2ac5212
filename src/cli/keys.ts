import { parseArgs } from 'node:util';
import { hashKey, newKey } from '../auth/keys.ts';
import { SCOPES, type Scope } from '../auth/viewer.ts';
import { readConfig } from '../config.ts';
import { SYSTEM_SOURCES } from '../domain/sources.ts';
import { DATETIME_FORMS, instantOf } from '../model/instant.ts';
import { isUuid } from '../model/uuid.ts';
import { holderOf } from '../store/embedded/lock.ts';
import { lastUri } from '../store/embedded/server.ts';
import type { PrincipalStore, StoredKey } from '../store/principals.ts';
import { connectStores } from '../store/stores.ts';

const USAGE = `npm run cli -- keys create --tenant UUID --name NAME --scopes ${SCOPES.join(',')} [--expires WHEN]
npm run cli -- keys list --tenant UUID
npm run cli -- keys revoke ID`;

const LONGEST_NAME = 200;

/** A command line that cannot be followed: what is wrong with it, a line each. */
class UsageError extends Error {}

type Work = (principals: PrincipalStore) => Promise<void>;

/** Makes, lists and revokes API keys, in the database of MONGODB_URI or of the gateway that runs on DATA_DIR. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const work = workOf(args);
    const stores = await connectStores(database());
    try {
      await work(stores.principals);
    } finally {
      await stores.close();
    }
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    if (error instanceof UsageError) console.error(`\nUsage:\n${USAGE}`);
    return 1;
  }
}

function database(): { uri: string; database: string } {
  const { mongodbUri, mongodbDatabase, dataDir } = readConfig(process.env);
  const uri = mongodbUri ?? (holderOf(dataDir) && lastUri(dataDir));
  if (uri !== undefined) return { uri, database: mongodbDatabase };
  throw new Error(
    `There is no database to ask: no gateway runs on ${dataDir}, and MONGODB_URI is not set. Start the gateway first, or set one of DATA_DIR and MONGODB_URI.`,
  );
}

function workOf(args: readonly string[]): Work {
  const { values, positionals } = parsed(args);
  const [verb = '', ...rest] = positionals;
  if (verb === 'create') return create(values, rest);
  if (verb === 'list') return list(values, rest);
  if (verb === 'revoke') return revoke(values, rest);
  throw new UsageError(verb === '' ? 'What is to be done with keys?' : `keys cannot "${verb}".`);
}

type Values = ReturnType<typeof parsed>['values'];
type Option = keyof Values;

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
  const now = SYSTEM_SOURCES.now();
  const tenant = tenantOf(values, faults);
  const name = values.name?.trim() ?? '';
  if (name === '' || name.length > LONGEST_NAME) {
    faults.push(`--name must say whose key it is, in 1 to ${LONGEST_NAME} characters.`);
  }
  const scopes = new Set((values.scopes ?? '').split(',').map((scope) => scope.trim()));
  if (![...scopes].every((scope) => SCOPES.includes(scope as Scope))) {
    faults.push(`--scopes must be one or more of ${SCOPES.join(', ')}, separated by commas.`);
  }
  const expires = values.expires === undefined ? undefined : instantOf(values.expires);
  if (values.expires !== undefined && (expires === undefined || expires <= now)) {
    faults.push(`--expires must lie in the future, as ${DATETIME_FORMS}.`);
  }
  refuseAny(faults);
  const key = newKey();
  const stored: StoredKey = {
    _id: SYSTEM_SOURCES.newId(),
    kind: 'key',
    hash: hashKey(key),
    tenant,
    name,
    scopes: [...scopes],
    created_at: now,
    ...(expires && { expires_at: expires }),
  };
  return async (principals) => {
    await principals.putKey(stored);
    console.error(`${described(stored, now)}\nThis is the key. It is shown now and never again:`);
    console.log(key);
  };
}

function list(values: Values, rest: readonly string[]): Work {
  const faults = surplus(values, rest, ['tenant']);
  const tenant = tenantOf(values, faults);
  refuseAny(faults);
  return async (principals) => {
    const keys = await principals.keysOf(tenant);
    for (const key of keys) console.log(described(key, SYSTEM_SOURCES.now()));
    if (keys.length === 0) console.log(`The tenant ${tenant} has no keys.`);
  };
}

function revoke(values: Values, [id = '', ...rest]: readonly string[]): Work {
  const faults = surplus(values, rest, []);
  if (!isUuid(id)) faults.push('revoke needs the id of a key, which is a UUID: `keys list` tells it.');
  refuseAny(faults);
  return async (principals) => {
    const known = await principals.revokeKey(id.toLowerCase(), SYSTEM_SOURCES.now());
    if (!known) throw new Error(`There is no key with the id ${id}.`);
    console.log(`${id} is revoked. Every gateway refuses it within a few seconds.`);
  };
}

function tenantOf({ tenant = '' }: Values, faults: string[]): string {
  if (!isUuid(tenant)) faults.push('--tenant must be a UUID; for a new tenant, make one up with uuidgen.');
  return tenant.toLowerCase();
}

/** What stands on the command line and is not asked for. */
function surplus(values: Values, rest: readonly string[], allowed: readonly Option[]): string[] {
  const options = (Object.keys(values) as Option[])
    .filter((name) => !allowed.includes(name))
    .map((name) => `--${name}`);
  return [...options, ...rest].map((word) => `${word} is not expected here.`);
}

function refuseAny(faults: readonly string[]): void {
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
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
