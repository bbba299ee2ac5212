import type { Db } from 'mongodb';
import type { StoredWebhook } from '../../model/webhooks/webhook.ts';
import { keyNameOf, type SecretBox } from '../../webhooks/secret-box.ts';
import { isInUse } from '../../webhooks/signatures.ts';
import { allowed } from './database-set.ts';

/** How many webhooks a line names. */
const NAMED = 5;

/** Which keys the secrets of webhooks are encrypted under, one fact a line: whether one is missing, or no longer needed. */
export async function lookAtSecrets(db: Db, { keyNames }: SecretBox): Promise<readonly string[]> {
  const under = (await allowed(() => webhooksByKey(db))) ?? new Map();
  if (under.size === 0) return [];
  const [newest, ...older] = keyNames;
  const lines = [`secrets of webhooks: ${[...under].map(counted).join(', ')}`];
  for (const name of older) {
    if (name === newest || under.has(name)) continue;
    lines.push(`the key ${name} of WEBHOOK_SECRET_KEY is no longer needed, except for backups`);
  }
  for (const [name, webhooks] of under) {
    if (name === undefined || keyNames.includes(name)) continue;
    const ids = [...webhooks.slice(0, NAMED), ...(webhooks.length > NAMED ? ['…'] : [])].join(', ');
    lines.push(`CHECK: WEBHOOK_SECRET_KEY lacks the key ${name}; without it, nothing is sent to ${ids}`);
  }
  return lines;
}

/** The ids of the webhooks with secrets in use, by the names of the keys that these are encrypted under. */
async function webhooksByKey(db: Db): Promise<Map<string | undefined, string[]>> {
  const under = new Map<string | undefined, string[]>();
  const webhooks = db.collection<StoredWebhook>('webhooks');
  const now = new Date();
  for await (const { _id, secrets } of webhooks.find({}, { projection: { secrets: 1 }, sort: { _id: 1 } })) {
    const names = new Set(secrets.filter((one) => isInUse(one, now)).map(keyNameOf));
    for (const name of names) under.set(name, [...(under.get(name) ?? []), _id]);
  }
  return under;
}

const counted = ([name, { length }]: readonly [string | undefined, readonly string[]]): string =>
  name === undefined ? `${length} not encrypted` : `${length} under the key ${name}`;
