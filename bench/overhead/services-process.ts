// node services-process.ts: all variants of the service in one process, which measures its own CPU time.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { SYSTEM_CLOCK_AND_IDS } from '../../src/domain/request/clock-and-ids.ts';
import { createLog } from '../../src/log.ts';
import { TenantUsage } from '../../src/store/access/tenant-usage.ts';
import { connectStores, type Stores, storesOf } from '../../src/store/stores.ts';
import { Meter } from './meter.ts';
import { partsOf } from './parts.ts';
import type { Question, Ready, Used } from './protocol.ts';
import { NOTHING, PLAIN, VARIANTS, type Variant } from './variants.ts';

const { MONGODB_URI: uri = '', MONGODB_DATABASE: database = '' } = process.env;
const log = createLog({ logLevel: 'info' });
const shared = await connectStores({ uri, database });

let planted = 0;

/** Keeps the processor busy. */
function burn(): void {
  for (const end = performance.now() + planted / 1_000; performance.now() < end; );
}

const meter = new Meter();

/** Starts a variant and returns its address. */
async function serve({ name, settings }: Variant): Promise<string> {
  const config = readConfig({ ENVIRONMENT: 'demo', ...NOTHING, ...settings });
  const { quotas, auditTtlDays } = config;
  if (settings?.MAX_TENANT_DOCUMENTS) await new TenantUsage(shared.db, quotas).begin();
  const { db, watch, clock, connections, health } = shared;
  const connected = { client: db.client, watch, clock, connections, health };
  const stores: Stores = storesOf(connected, { database, quotas, auditTtlDays });
  const { on, off, replaced, ...parts } = partsOf(name, { log, db });
  const { server } = createApp({
    ...{ config, log, sources: SYSTEM_CLOCK_AND_IDS, ...parts },
    stores: { ...stores, ...replaced },
  });
  if (name === 'planted') server.prependListener('request', burn);
  const metered = { name, on, off };
  server.prependListener('request', () => meter.enter(metered));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ACTIONS: { [Name in Question['do']]: (question: Extract<Question, { do: Name }>) => Used } = {
  read: () => meter.read(),
  plant({ microseconds }) {
    planted = microseconds;
    return {};
  },
  stop: () => process.exit(),
};

await serve({ name: 'first', title: 'more expensive than an identical one made after it, so nobody asks it' });
const urls: Record<string, string> = {};
for (const variant of [PLAIN, ...VARIANTS]) urls[variant.name] = await serve(variant);
process.on('message', (question: Question) => {
  const action = ACTIONS[question.do] as (asked: Question) => Used;
  process.send?.(action(question));
});
process.once('disconnect', () => process.exit()); // the measuring process has ended
process.send?.({ urls } satisfies Ready);
