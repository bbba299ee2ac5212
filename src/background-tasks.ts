import type { Config } from './config.ts';
import { startErasureSweep } from './domain/deletion/erasure-sweep.ts';
import { startProjectingAudits } from './figure-audit-projection/audit-projector.ts';
import type { Log } from './log.ts';
import { THE_SERVICE } from './model/audit.ts';
import type { StopSteps } from './process/stop-steps.ts';
import { Slots } from './store/batching/slots.ts';
import { startProjecting } from './store/events/event-projector.ts';
import { startSweeping } from './store/files/file-sweep.ts';
import { startProjectingStatistics } from './store/statistics/statistics-projector.ts';
import type { Stores } from './store/stores.ts';
import { createConnector } from './webhook-delivery/connector.ts';
import { startDelivering } from './webhook-delivery/engine.ts';
import { SecretBox } from './webhooks/secret-box.ts';

/** What the tasks work with. */
interface TaskParts {
  readonly config: Pick<Config, 'events' | 'eventsTtlSeconds' | 'webhooks'>;
  readonly stores: Stores;
  readonly log: Log;
  now(): Date;
}

/** Ends a task; resolves once it does nothing more. */
type End = () => Promise<void>;

/** What a gateway does besides answering requests: how each is started, and what the log calls it. */
const TASKS = {
  files: { title: 'the sweep of files', start: ({ stores, log }) => startSweeping(stores.files, log) },
  erasures: { title: 'the sweep below deletions', start: ({ stores, log }) => startErasureSweep(stores, log) },
  events: { title: 'the projector of events', start: recordEvents },
  statistics: {
    title: 'the projector of statistics',
    start: ({ stores, log }) => startProjectingStatistics(stores.db, log),
  },
  audits: {
    title: 'the projector of figure audits',
    start: ({ stores, log }) => startProjectingAudits(stores, log),
  },
  webhooks: { title: 'the deliveries to webhooks', start: deliverWebhooks },
} as const satisfies Record<string, { readonly title: string; readonly start: (parts: TaskParts) => End }>;

export type Task = keyof typeof TASKS;
/** The tasks of a gateway. */
export const ALL_TASKS = Object.keys(TASKS) as readonly Task[];

/** Starts some tasks; the result ends them all. */
export function startTasks(tasks: readonly Task[], parts: TaskParts): (steps: StopSteps) => Promise<void> {
  const running = tasks.map((task) => ({ title: TASKS[task].title, end: TASKS[task].start(parts) }));
  return async (steps) => {
    await Promise.all(running.map(({ title, end }) => steps.run(title, end())));
  };
}

/** If events are off, this gateway has neither the change feed nor subscriptions. */
function recordEvents({ config: { events, eventsTtlSeconds }, stores, log }: TaskParts): End {
  if (events === 'on') return startProjecting(stores.db, stores.events, { keptMs: eventsTtlSeconds * 1_000, log });
  stores.eventTail.close();
  return () => Promise.resolve();
}

const FIVE_DAYS_MS = 5 * 24 * 3_600_000;
/** Concurrent requests to receivers: to those that respond quickly, and to those that were slow or failed last time. */
const SOUND = { count: 192, perTenant: 48 };
const SLOW = { count: 64, perTenant: 16 };

/** If events are off, deliveries are left to other gateways. */
function deliverWebhooks({ config: { events, webhooks }, stores, log, now }: TaskParts): End {
  if (events === 'off') return () => Promise.resolve();
  return startDelivering({
    stores,
    log,
    connector: createConnector(webhooks.allowPrivate),
    secretBox: new SecretBox(webhooks.secretKeys),
    retrySeconds: webhooks.retrySeconds,
    timeoutMs: webhooks.timeoutMs,
    failingMs: FIVE_DAYS_MS,
    now,
    slots: { sound: new Slots(SOUND.count, SOUND.perTenant), slow: new Slots(SLOW.count, SLOW.perTenant) },
    disabled({ _id, tenant }, reason) {
      log.warn({ webhook: _id, reason }, 'a webhook was disabled');
      const entry = { ...THE_SERVICE, tenant, at: now(), action: 'webhook.disabled', entity: _id } as const;
      stores.audit.note({ ...entry, outcome: 'success' });
    },
  });
}
