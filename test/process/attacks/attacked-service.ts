import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { MongoClient } from 'mongodb';
import { inject } from 'vitest';
import { dropDatabase } from '../../drop-database.ts';
import { CALLERS } from '../../service.ts';

const main = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');
// Vite sets a BASE_URL of its own.
const { BASE_URL: _url, ...inherited } = process.env;

/** Each request has its own connection: an idle one may be closed just as it is reused. */
const ALONE = { Connection: 'close' };

export interface Sent {
  readonly status: number;
  readonly text: string;
}

/** A service in a process of its own, with a workspace, a job, and a job with a body of 4 MB. */
export type Fixture = Awaited<ReturnType<typeof startAttacked>>;

/** Starts the service as `npm start` does, on its own database with the demo data. */
export async function startAttacked(settings: Readonly<Record<string, string>> = {}) {
  const database = `test_attacks_${randomUUID()}`;
  const mongodb = { MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: database };
  const env = { ...inherited, ...mongodb, ENVIRONMENT: 'demo', PORT: '0', ...settings };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let url = '';
  for await (const line of createInterface(child.stdout)) {
    url = /^Ready: .* serves (http:\S+)$/.exec(line)?.[1] ?? '';
    if (url !== '') break;
  }
  const log = text(child.stdout);

  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Sent> => {
    const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${CALLERS.client}`, 'Content-Type': 'application/json', ...ALONE, ...headers },
      ...(body !== undefined && { body: sent as string }),
    });
    return { status: response.status, text: await response.text() };
  };

  /** Sends raw bytes over a new connection; returns what comes back until it closes or `ms` have passed. */
  const raw = (bytes: string, ms = 20_000): Promise<Sent> =>
    new Promise((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
      let answer = '';
      const done = () => {
        socket.destroy();
        resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), text: answer });
      };
      socket.on('data', (chunk) => {
        answer += String(chunk);
      });
      socket.on('error', done).on('close', done);
      setTimeout(done, ms).unref();
    });

  const workspace: string = JSON.parse((await ask('GET', '/workspaces')).text)[0].id;
  const make = async (body: object): Promise<string> =>
    JSON.parse((await ask('POST', `/workspaces/${workspace}/jobs`, body)).text).id;
  return {
    child,
    url,
    database,
    log,
    ask,
    raw,
    graphql: (query: string, variables: object = {}) => ask('POST', '/graphql', { query, variables }),
    workspace,
    job: await make({ refNumber: 'ATTACKED' }),
    large: await make({ refNumber: 'LARGE', notes: 'x'.repeat(2_000_000), coordinator: 'x'.repeat(2_000_000) }),
    /** How long the health check takes. */
    health: async (): Promise<number> => {
      for (const asked = performance.now(); ; ) {
        const { status } = await fetch(`${url}/bridge/v1/health`, { headers: ALONE });
        if (status === 200) return performance.now() - asked;
      }
    },
    stop: async (): Promise<void> => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }
      const client = await MongoClient.connect(inject('mongoUri'));
      await dropDatabase(client.db(database));
      await client.close();
    },
  };
}
