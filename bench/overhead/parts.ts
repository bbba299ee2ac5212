import type { Db } from 'mongodb';
import { endpoints } from '../../rest-compat/endpoints.ts';
import type { AppParts } from '../../src/app.ts';
import type { Log } from '../../src/log.ts';
import { AuditLog } from '../../src/store/audit/audit-log.ts';
import type { Stores } from '../../src/store/stores.ts';
import { Metrics } from '../../src/telemetry/metrics.ts';
import { logSlow } from '../../src/telemetry/slow.ts';
import { Tracing } from '../../src/telemetry/tracing.ts';
import { VERSION } from '../../src/version.ts';
import { recordSubscriptions, type Toggle } from './recorded-subscriptions.ts';
import { uncountedGraphql } from './uncounted-graphql.ts';

/** What a variant is made of beyond its settings, by the constructors that the service uses. */
export interface Parts extends Toggle {
  readonly tracing?: AppParts['tracing'];
  readonly graphqlServer?: AppParts['graphqlServer'];
  /** Stores in the place of those that the service has. */
  readonly replaced?: Partial<Stores>;
}

interface Surroundings {
  readonly log: Log;
  readonly db: Db;
}

const SLOW_MS = 1_000;
const KEPT_DAYS = 400;
const nothing = (): void => undefined;
const ALWAYS = { on: nothing, off: nothing };

/** The parts of a variant by its name. */
export function partsOf(name: string, { log, db }: Surroundings): Parts {
  if (name === 'metrics') return recordSubscriptions(() => new Metrics(endpoints, VERSION));
  if (name === 'slow') return recordSubscriptions(() => logSlow(log, SLOW_MS));
  if (name === 'everything')
    return recordSubscriptions(() => {
      new Metrics(endpoints, VERSION);
      logSlow(log, SLOW_MS);
    });
  if (name === 'traces') {
    let tracing: Tracing | undefined;
    const toggle = recordSubscriptions(() => {
      tracing = new Tracing(endpoints, VERSION, () => Promise.resolve());
    });
    return { ...toggle, tracing };
  }
  if (name === 'uncounted') return { ...ALWAYS, graphqlServer: uncountedGraphql };
  if (name === 'no-audit') return { ...ALWAYS, replaced: { audit: new SilentAudit(db, KEPT_DAYS) } };
  return ALWAYS;
}

/** Takes lines, and writes none. */
class SilentAudit extends AuditLog {
  override add(): Promise<void> {
    return Promise.resolve();
  }

  override note(): void {}
}
