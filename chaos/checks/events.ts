import type { Db } from 'mongodb';
import { ATTACHMENT_EVENT_TYPE } from '../../src/model/entity/event-facts.ts';
import type { Subscriber, Told } from '../subscriber.ts';
import type { Evidence, Finding } from './evidence.ts';

interface StoredEvent {
  readonly _id: string;
  readonly sequence: number;
  readonly kind: string;
  readonly document: string;
  readonly type: string;
  readonly workspace: string;
  readonly version: string | null;
}

/** There is one event for each version, in the order of the versions, and every subscriber was told each of its own once. */
export async function checkEvents({ db, subscribers, world, deleted }: Evidence): Promise<Finding[]> {
  const events = await db.collection<StoredEvent>('events').find().sort({ sequence: 1 }).toArray();
  return [
    ...(await versionFaults(db, events)),
    ...deletionFaults(events, deleted),
    ...subscribers.flatMap((subscriber, index) => toldFaults(subscriber, index, events, world.workspaces)),
  ];
}

/** The versions of documents that are still there, beside the events of these documents. */
async function versionFaults(db: Db, events: readonly StoredEvent[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  const told = new Map<string, (string | null)[]>();
  for (const { document, version, kind } of events) {
    // A request that took itself back and was sent again begins anew.
    told.set(document, kind === 'deleted' ? [] : [...(told.get(document) ?? []), version]);
  }
  const marked = { 'body.chaos': { $exists: true } };
  const documents = db.collection<{ _id: string; version_id: string }>('documents').find(marked);
  const versions = db.collection<{ _id: string; entity: string; revision: number }>('versions');
  const old = new Map<string, string[]>();
  for await (const { _id, entity } of versions.find().sort({ entity: 1, revision: 1 })) {
    old.set(entity, [...(old.get(entity) ?? []), _id]);
  }
  for await (const { _id, version_id } of documents) {
    const made = [...(old.get(_id) ?? []).filter((version) => version !== version_id), version_id];
    const heard = told.get(_id) ?? [];
    if (made.length === heard.length && made.every((version, index) => version === heard[index])) continue;
    findings.push({
      kind: heard.length > made.length ? 'doubled' : 'lost',
      text: `the document ${_id} has the versions ${made.join(' ')} and the events ${heard.join(' ')}`,
    });
  }
  return findings;
}

function deletionFaults(events: readonly StoredEvent[], deleted: ReadonlySet<string>): Finding[] {
  const created = new Set(events.filter(({ kind }) => kind === 'created').map(({ document }) => document));
  const gone = new Map<string, number>();
  for (const { kind, document } of events) if (kind === 'deleted') gone.set(document, (gone.get(document) ?? 0) + 1);
  return [...deleted].flatMap((id): Finding[] => {
    const count = gone.get(id) ?? 0;
    if (!created.has(id) || count === 1) return [];
    return [{ kind: count === 0 ? 'lost' : 'doubled', text: `the deletion of ${id} has ${count} events` }];
  });
}

function toldFaults(
  { followed, told, began = 0, refusals }: Subscriber,
  index: number,
  events: readonly StoredEvent[],
  workspaces: readonly string[],
): Finding[] {
  const name = `subscriber ${index + 1}`;
  const findings = refusals.map((text): Finding => ({ kind: 'wrong', text: `${name} was refused: ${text}` }));
  // The subscription tells of documents alone; attachments are in the change feed.
  const isOurs = ({ workspace, type }: StoredEvent): boolean =>
    type !== ATTACHMENT_EVENT_TYPE &&
    (followed.workspace ? workspace === followed.workspace : workspaces.includes(workspace)) &&
    (!followed.types || followed.types.includes(type));
  const own = events.filter((event) => event.sequence > began && isOurs(event));
  const wanted = new Map(own.map((event) => [String(event.sequence), event]));
  const seen = new Set<string>();
  let last = 0;
  for (const one of told) {
    const event = wanted.get(one.id);
    if (seen.has(one.id)) findings.push({ kind: 'doubled', text: `${name} was told the event ${one.id} twice` });
    else if (Number(one.id) < last) findings.push({ kind: 'wrong', text: `${name} was told ${one.id} after ${last}` });
    if (event && !isSame(event, one)) {
      findings.push({ kind: 'wrong', text: `${name} was told ${JSON.stringify(one)} and not ${event._id}` });
    }
    seen.add(one.id);
    last = Number(one.id);
  }
  for (const [id, event] of wanted) {
    if (!seen.has(id)) findings.push({ kind: 'lost', text: `${name} was not told the event ${id} (${event._id})` });
  }
  return findings;
}

const isSame = ({ kind, document, version }: StoredEvent, told: Told): boolean =>
  kind === told.kind.toLowerCase() && document === told.documentId && version === told.versionId;
