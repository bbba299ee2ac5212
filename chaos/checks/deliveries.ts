import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import type { WebhookReceiver } from '../processes/webhook-receiver.ts';
import type { Evidence, Finding } from './evidence.ts';

interface StoredEvent {
  readonly sequence: number;
  readonly document: string;
  readonly version: string | null;
}

/** How long it may take until something more is delivered: longer than a receiver that failed is left alone. */
const DELIVER_MS = 60_000;

/** The events that a webhook must be told of, by their webhook-id. */
async function wantedBy({ id, place }: WebhookReceiver, db: Db): Promise<Map<string, StoredEvent>> {
  const filter = { sequence: { $gt: place }, readers: DEMO_TENANTS.client };
  const events = await db.collection<StoredEvent>('events').find(filter).toArray();
  return new Map(events.map((event) => [`${event.sequence}_${id}`, event]));
}

/** Waits until every receiver has everything, or nothing more can be hoped for. */
export async function untilDelivered(db: Db, receivers: readonly WebhookReceiver[]): Promise<void> {
  const isComplete = async (receiver: WebhookReceiver) => {
    const taken = new Set(receiver.taken.map(({ id }) => id));
    return [...(await wantedBy(receiver, db)).keys()].every((id) => taken.has(id));
  };
  const taken = () => receivers.reduce((sum, receiver) => sum + receiver.taken.length, 0);
  // Gateways that were killed every few seconds delivered little, so that much may be left.
  for (let [known, end] = [taken(), performance.now() + DELIVER_MS]; performance.now() < end; await sleep(500)) {
    if ((await Promise.all(receivers.map(isComplete))).every(Boolean)) return;
    if (taken() > known) [known, end] = [taken(), performance.now() + DELIVER_MS];
  }
}

/** Every event was delivered at least once, always under the same webhook-id, signed, and in the order of its document. */
export async function checkDeliveries({ db, receivers }: Pick<Evidence, 'db' | 'receivers'>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [index, receiver] of receivers.entries()) {
    const name = `receiver ${index + 1}`;
    const wrong = (text: string) => findings.push({ kind: 'wrong', text: `${name} ${text}` });
    for (const text of receiver.wrong) wrong(`got ${text}`);
    const wanted = await wantedBy(receiver, db);
    const seen = new Set<string>();
    const newest = new Map<string, number>();
    for (const { id, sequence, document, version } of receiver.taken) {
      const isChange = id === `${sequence}_${receiver.id}`;
      const event = wanted.get(`${sequence}_${receiver.id}`);
      if (!event || event.document !== document || event.version !== version)
        wrong(`got ${id}, which is no such event`);
      if (!isChange || seen.has(id)) continue;
      if ((newest.get(document) ?? 0) > sequence) wrong(`got ${id} after ${newest.get(document)} of the same document`);
      newest.set(document, sequence);
      seen.add(id);
    }
    for (const id of wanted.keys())
      if (!seen.has(id)) findings.push({ kind: 'lost', text: `${name} did not get ${id}` });
  }
  return findings;
}
