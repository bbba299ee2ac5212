import { randomUUID } from 'node:crypto';
import {
  type Answer,
  type Ask,
  makeWorkspace,
  startTestService,
  type TestService,
  type TestWorkspace,
} from '../service.ts';
import { type FaultyMongod, startFaultyMongod } from './faulty-mongod.ts';
import type { Trial } from './trials.ts';

/** A service over a MongoDB that can be made to fail, with a workspace. */
export interface FaultFixture {
  readonly mongod: FaultyMongod;
  readonly service: TestService;
  readonly workspace: TestWorkspace;
  /** A request with its own Idempotency-Key; `times` counts what it left. */
  keyed(request: Request, times: Trial['times']): Trial;
  count(collection: string, filter: object): Promise<number>;
  stop(): Promise<void>;
}

interface Request extends Ask {
  readonly method: string;
  readonly path: string;
}

export async function startFaultFixture(): Promise<FaultFixture> {
  const mongod = await startFaultyMongod();
  // A driver that looks for the primary at least twice a second, so that many faults fit into a test.
  const service = await startTestService({
    uri: `${mongod.uri}&heartbeatFrequencyMS=500&minHeartbeatFrequencyMS=20&serverMonitoringMode=poll`,
  });
  const workspace = await makeWorkspace(service);
  return {
    mongod,
    service,
    workspace,
    keyed({ method, path, headers, ...ask }, times) {
      const key = { ...headers, 'Idempotency-Key': randomUUID() };
      return { send: (): Promise<Answer> => service.ask(method, path, { as: 'client', ...ask, headers: key }), times };
    },
    count: (collection, filter) =>
      mongod.client.db(service.stores.db.databaseName).collection(collection).countDocuments(filter),
    async stop() {
      await mongod.heal();
      await service.stop();
      await mongod[Symbol.asyncDispose]();
    },
  };
}

/** A unique text. */
export const mark = (): string => randomUUID();
