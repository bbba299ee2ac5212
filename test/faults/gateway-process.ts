import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Fault, FaultyMongod } from './faulty-mongod.ts';

export interface GatewayProcess {
  readonly gateway: ChildProcess;
  readonly url: string;
}

/** Starts a gateway in a process of its own, which can be killed; resolves once it serves. */
export async function startGatewayProcess(
  uri: string,
  database: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<GatewayProcess> {
  const gateway = spawn(process.execPath, ['src/main.ts'], {
    env: {
      ...process.env,
      PORT: '0',
      BASE_URL: '', // vitest sets it
      ENVIRONMENT: 'demo',
      MONGODB_URI: uri,
      MONGODB_DATABASE: database,
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(gateway.stdout)) {
    const [, url] = /^Ready: .* serves (\S+)$/.exec(line) ?? [];
    if (url) return { gateway, url };
  }
  throw new Error('the gateway did not start');
}

/**
 * Kills a gateway while it works on a request: MongoDB blocks each such command for two seconds, and the gateway is killed at the
 * first. On return it is gone, and commands are no longer blocked.
 */
export async function killAtWork(
  gateway: ChildProcess,
  mongod: FaultyMongod,
  fault: Omit<Fault, 'data'>,
  ask: () => Promise<unknown>,
): Promise<void> {
  try {
    const { met } = await mongod.fail({ ...fault, data: { blockConnection: true, blockTimeMS: 2_000 } });
    const asked = ask().catch(() => undefined);
    await met();
    gateway.kill('SIGKILL');
    await once(gateway, 'exit');
    await asked;
  } finally {
    gateway.kill('SIGKILL');
    await mongod.heal();
  }
}

/** The number of such commands MongoDB is working on, including a killed gateway's. */
export async function running({ client }: FaultyMongod, commands: readonly string[]): Promise<number> {
  const names = commands.map((name) => ({ [`command.${name}`]: { $exists: true } }));
  const operations = [{ $currentOp: {} }, { $match: { active: true, appName: 'inspection-exchange', $or: names } }];
  return (await client.db('admin').aggregate(operations).toArray()).length;
}
