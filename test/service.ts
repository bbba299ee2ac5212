import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import { pino } from 'pino';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, inject } from 'vitest';
import { createApp } from '../src/app.ts';
import { startTasks } from '../src/background-tasks.ts';
import { type Config, readConfig } from '../src/config.ts';
import { putDemoPrincipals } from '../src/demo/principals.ts';
import { type ClockAndIds, SYSTEM_CLOCK_AND_IDS } from '../src/domain/request/clock-and-ids.ts';
import type { Gateway } from '../src/gateway.ts';
import { StopSteps } from '../src/process/stop-steps.ts';
import { applyShardPlan } from '../src/store/sharding/apply-plan.ts';
import { connectStores, type Stores } from '../src/store/stores.ts';
import { assertDescribed } from './assert-described.ts';
import { dropDatabase } from './drop-database.ts';
import { patiently } from './patiently.ts';
import { operationWatch } from './sharding/command-watch.ts';

/** The callers in the tests, by their demo keys. */
export const CALLERS = {
  client: 'demo-client-key',
  vendor: 'demo-vendor-key',
  stranger: 'demo-observer-key',
  reader: 'demo-readonly-key',
  admin: 'demo-admin-key',
} as const;
export type Caller = keyof typeof CALLERS;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Answers are inspected member by member; the tests assert what they contain.
  // biome-ignore lint/suspicious/noExplicitAny: an answer may be any JSON
  readonly body: any;
}

export interface Ask {
  readonly as?: Caller | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A gateway over its own database, on a real port; `await using` stops it and drops the database. */
export interface TestService extends AsyncDisposable {
  readonly url: string;
  readonly stores: Stores;
  readonly gateway: Gateway;
  readonly logged: readonly Record<string, unknown>[];
  ask(method: string, path: string, options?: Ask): Promise<Answer>;
  graphql(query: string, variables?: object, as?: Caller | null): Promise<Answer>;
  stop(): Promise<void>;
}

export interface TestOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly sources?: Partial<ClockAndIds>;
  /** A MongoDB other than that of the whole run. */
  readonly uri?: string;
  /** Another gateway over the same database. */
  readonly database?: string;
  /** Records events, so that subscriptions hear of changes. */
  readonly records?: boolean;
  /** How soon quota numbers count as settled, in milliseconds. */
  readonly usageSettlesMs?: number;
  /** Keeps statistics. */
  readonly counts?: boolean;
  /** Keeps figure audits. */
  readonly audits?: boolean;
  /** Sends messages to webhooks, which must therefore be on the loopback interface. */
  readonly delivers?: boolean;
}

/** Counts commands by their operation, where traces would have their spans. */
const commandWatch = { ...operationWatch, requests: <T>(serve: T): T => serve };

/** Starts a gateway for one test file. */
export async function startTestService({
  env = {},
  sources = {},
  uri = inject('mongoUri'),
  database,
  usageSettlesMs,
  records = false,
  counts = false,
  audits = false,
  delivers = false,
}: TestOptions = {}): Promise<TestService> {
  // Answers are checked against the OpenAPI document, in production too.
  const config: Config = { ...readConfig({ ENVIRONMENT: 'demo', PUBLIC_DOCS: '1', ...env }), port: 0 };
  const name = database ?? `test_${newId().replaceAll('-', '')}`;
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const { quotas, statisticsReadPreference } = config;
  const stores = await connectStores({
    uri,
    database: name,
    migrations: log,
    quotas,
    usageSettlesMs,
    statisticsReadPreference,
  });
  if (process.env.TEST_SHARDED_URI) await divide(uri, name);
  await putDemoPrincipals(stores, new Date());
  const clock = { ...SYSTEM_CLOCK_AND_IDS, ...sources };
  const { server, gateway } = createApp({ config, stores, log, sources: clock, tracing: commandWatch });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tasks = [
    ...(records ? (['events'] as const) : []),
    ...(counts ? (['statistics'] as const) : []),
    ...(audits ? (['audits'] as const) : []),
    ...(delivers ? (['webhooks'] as const) : []),
  ];
  const endTasks = startTasks(tasks, { config, stores, log, now: () => clock.now() });
  const stop = async () => {
    stores.eventTail.close();
    server.closeAllConnections();
    server.close();
    const steps = new StopSteps(log);
    await endTasks(steps);
    if (database === undefined) await dropDatabase(stores.db);
    await stores.close();
    if (!steps.complete) throw new Error(`a background task did not end in order: ${JSON.stringify(logged.at(-1))}`);
  };
  return {
    url,
    stores,
    gateway,
    logged,
    ask: (method, path, options) => ask(url, method, path, options),
    graphql: (query, variables, as = 'client') =>
      ask(url, 'POST', '/graphql', { as: as ?? undefined, body: { query, variables } }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** On a sharded cluster (`npm run test:sharded`), each database is sharded as planned. */
async function divide(uri: string, database: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  await applyShardPlan(client, database, () => undefined).finally(() => client.close());
}

/** Every answer of a REST endpoint must be described in the OpenAPI document. */
async function ask(url: string, method: string, path: string, { as, body, headers }: Ask = {}): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(as && { Authorization: `Bearer ${CALLERS[as]}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    redirect: 'manual',
  });
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, text };
  await assertDescribed(url, { method, path, ...answer });
  return { ...answer, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A workspace with its two organizations, and their names. */
export interface TestWorkspace {
  readonly id: string;
  readonly client: string;
  readonly vendor: string;
  readonly names: { readonly client: string; readonly vendor: string };
}

/** Creates two organizations, and a workspace between client and vendor. */
export async function makeWorkspace(service: TestService, description = 'North Sea'): Promise<TestWorkspace> {
  const mark = newId();
  const names = { client: `Aldermoor ${mark}`, vendor: `Brightwater ${mark}` };
  const post = (path: string, as: Caller, body: object) => patiently(() => service.ask('POST', path, { as, body }));
  const client = await post('/v2/organizations', 'client', { name: names.client, category: 'shipper' });
  const vendor = await post('/v2/organizations', 'vendor', { name: names.vendor, category: 'inspector' });
  const parties = { client: { id: client.body.id }, vendor: { id: vendor.body.id } };
  const workspace = await post('/workspaces', 'client', { description, parties });
  if (workspace.status !== 201) throw new Error(`no workspace: ${workspace.text}`);
  return { id: workspace.body.id, client: client.body.id, vendor: vendor.body.id, names };
}

/** A service for the tests of a file or `describe` block: started before the first, stopped after the last. */
export function serviceFixture(options: TestOptions = {}): TestService {
  let started: TestService | undefined;
  beforeAll(async () => {
    started = await startTestService(options);
  });
  afterAll(() => started?.stop());
  const service = () => started ?? notYet('service');
  const stop = () => service().stop();
  return {
    get url() {
      return service().url;
    },
    get stores() {
      return service().stores;
    },
    get gateway() {
      return service().gateway;
    },
    get logged() {
      return service().logged;
    },
    ask: (...request) => service().ask(...request),
    graphql: (...request) => service().graphql(...request),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** A workspace for the tests of a file or `describe` block, created before the first. */
export function workspaceFixture(service: TestService): TestWorkspace {
  let made: TestWorkspace | undefined;
  beforeAll(async () => {
    made = await makeWorkspace(service);
  });
  const workspace = () => made ?? notYet('workspace');
  return {
    get id() {
      return workspace().id;
    },
    get client() {
      return workspace().client;
    },
    get vendor() {
      return workspace().vendor;
    },
    get names() {
      return workspace().names;
    },
  };
}

function notYet(what: string): never {
  throw new Error(`The ${what} is there from the first beforeAll on, not while the file is loaded.`);
}
