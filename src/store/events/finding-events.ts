import { parse, v5 } from 'uuid';
import { FINDING_EVENT_TYPE } from '../../model/entity/event-facts.ts';
import type { WatchedCollection } from '../change-streams/watch.ts';
import { AUDITS, type KeptFinding, type StoredAudit } from '../figure-audits/kept-audit.ts';
import type { NewEvent } from './event-log.ts';

/** Changes of stored audits that add or remove findings. */
export const FINDING_CHANGES: WatchedCollection = {
  collection: AUDITS,
  operations: ['insert', 'replace'],
  having: ['appeared', 'settled'],
};

/** The fields their events are built from. */
export const FINDING_FIELDS = ['n', 'appeared', 'settled'];

/** Any UUID will do as long as it stays the same; passing bytes takes the library half the time. */
const NAMESPACE = parse('5b9b8c9e-6f0e-4d5c-9a53-0f6d2f3a7c11');

/** The events of findings that appeared or were settled; deterministic per change, so that none is written twice. */
export function findingEvents({
  _id: job,
  workspace,
  readers,
  n,
  appeared = [],
  settled = [],
}: StoredAudit): NewEvent[] {
  const eventOf = (kind: 'created' | 'deleted', { rule, document }: KeptFinding): NewEvent => {
    const id = v5(Buffer.from(`${job} ${rule} ${document}`), NAMESPACE);
    return {
      ...{ _id: `${id} ${n}`, kind, document: id, type: FINDING_EVENT_TYPE, workspace, readers },
      ...{ version: null, by: null, at: new Date(n), parent: job, references: { rule, document } },
    };
  };
  return [
    ...settled.map((finding) => eventOf('deleted', finding)),
    ...appeared.map((finding) => eventOf('created', finding)),
  ];
}
