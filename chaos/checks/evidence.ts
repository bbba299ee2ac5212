import type { Db, MongoClient } from 'mongodb';
import type { Client } from '../client.ts';
import { type Intent, isAcknowledged, isAmbiguous } from '../ledger.ts';
import type { WebhookReceiver } from '../processes/webhook-receiver.ts';
import type { Subscriber } from '../subscriber.ts';
import type { World } from '../world.ts';

/** What a check found wrong. */
export interface Finding {
  readonly kind: 'lost' | 'doubled' | 'wrong';
  readonly text: string;
}

/** What is there after a run, and what was promised in it. */
export interface Evidence {
  readonly mongo: MongoClient;
  readonly db: Db;
  readonly client: Client;
  readonly world: World;
  readonly intents: readonly Intent[];
  readonly subscribers: readonly Subscriber[];
  readonly receivers: readonly WebhookReceiver[];
  /** Entities whose deletion was acknowledged. */
  readonly deleted: ReadonlySet<string>;
  /** Entities whose deletion was asked for, and nobody knows what came of it. */
  readonly unsure: ReadonlySet<string>;
}

/** Reads from the intents which entities are gone. */
export function deletionsOf(intents: readonly Intent[]): Pick<Evidence, 'deleted' | 'unsure'> {
  const deleted = new Set<string>();
  const unsure = new Set<string>();
  for (const intent of intents) {
    const { claim, answer } = intent;
    if (claim.noun !== 'deletion') continue;
    // Nobody else deletes it: where it is not there after an earlier try, that try did it.
    if (isAcknowledged(intent) || (answer?.status === 404 && isAmbiguous(intent))) deleted.add(claim.entity);
    else if (answer === undefined) unsure.add(claim.entity);
  }
  return { deleted, unsure };
}

/** An intent by its number, with what was asked and answered. */
export function describe({ number, kind, key, attempts, answer }: Intent): string {
  const tries = attempts.map(({ outcome, at, gateway }) => `${outcome} by ${gateway} at ${at}`).join(', ');
  return `#${number} ${kind} (${key}; ${tries}; answered ${answer?.status ?? 'never'})`;
}

/** Compares how often something is there with how often it has to be. */
export function countFault(intent: Intent, what: string, found: number): Finding[] {
  if (found > 1) return [{ kind: 'doubled', text: `${what} is there ${found} times: ${describe(intent)}` }];
  if (isAcknowledged(intent) && found === 0) {
    return [{ kind: 'lost', text: `${what} is not there: ${describe(intent)}` }];
  }
  if (intent.answer && !isAcknowledged(intent) && found === 1) {
    return [{ kind: 'wrong', text: `${what} was refused and is there: ${describe(intent)}` }];
  }
  return [];
}

/** The items by a key. */
export function grouped<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
