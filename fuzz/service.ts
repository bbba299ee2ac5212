// The service that is fuzzed, in a process of its own: node --expose-gc fuzz/service.ts URI. It says its address and, when it is asked, its memory.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { putDemoPrincipals } from '../src/demo/principals.ts';
import { SYSTEM_CLOCK_AND_IDS } from '../src/domain/request/clock-and-ids.ts';
import { startProjecting } from '../src/store/events/event-projector.ts';
import { connectStores } from '../src/store/stores.ts';

/** What the process says: first its address, then its memory in bytes whenever it is asked. */
export type Said = { readonly url: string } | { readonly live: number; readonly rss: number };

const [uri = ''] = process.argv.slice(2);
const config = { ...readConfig({ ENVIRONMENT: 'demo', PUBLIC_DOCS: '1' }), port: 0 };
const log = pino({ level: 'fatal' });
const stores = await connectStores({ uri, database: 'fuzz', quotas: config.quotas });
await putDemoPrincipals(stores, new Date());
startProjecting(stores.db, stores.events, { keptMs: config.eventsTtlSeconds * 1_000, log });
const { server } = createApp({ config, stores, log, sources: SYSTEM_CLOCK_AND_IDS });
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const say = (said: Said): void => void process.send?.(said);
say({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  say({ live: heapUsed + external, rss });
});
process.on('disconnect', () => process.exit());
