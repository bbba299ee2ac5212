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

/** The parts of a variant beyond its settings, made by the constructors that the service uses. */
interface Parts extends Toggle {
  readonly tracing?: AppParts['tracing'];
  readonly graphqlServer?: AppParts['graphqlServer'];
  /** Stores that replace those of the service. */
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

/** The parts of the variant with this name. */
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

/** Accepts lines, but writes none. */
class SilentAudit extends AuditLog {
  override add(): Promise<void> {
    return Promise.resolve();
  }

  override note(): void {}
}
