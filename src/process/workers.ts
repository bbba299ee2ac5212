import cluster, { type Worker } from 'node:cluster';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, readSettings } from '../config.ts';
import type { Log } from '../log.ts';
import type { Serving } from '../service.ts';
import { SERVICE_STOP_MS, StopSteps } from './stop-steps.ts';

/** The message of a worker that is ready; the type distinguishes it from metrics on the same channel. */
export interface WorkerReady {
  readonly type: 'ready';
  readonly url: string;
  readonly mongodb: string;
}

/** The message that stops a worker: disconnecting it would wait for every connection, without a grace period. */
export const STOP = 'stop';

/** The minimum time between a worker's start and that of its replacement. */
const BREATHER_MS = 1_000;

interface WorkersParts {
  readonly config: Config;
  readonly uri: string;
  readonly log: Log;
  readonly stopped?: AbortSignal | undefined;
}

/** Serves one port with several processes (WORKERS), replacing any that die. Throws if one cannot start at all. */
export async function startWorkers({ config, uri, log, stopped }: WorkersParts): Promise<Serving> {
  cluster.setupPrimary({ exec: fileURLToPath(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url)) });
  const env = { ...workerEnv(), MONGODB_URI: uri, ENVIRONMENT: config.environment };
  let stopping = false;
  const workers = new Set<Worker>();
  /** A worker that ends is replaced, unless it is one of the first and never served: then the service cannot start. */
  const fork = ({ isReplaced }: { isReplaced: boolean }): Promise<WorkerReady> => {
    const worker = cluster.fork(env);
    const started = performance.now();
    workers.add(worker);
    return new Promise((resolve, reject) => {
      worker.on('message', (message: unknown) => {
        if (!isReady(message)) return;
        isReplaced = true;
        resolve(message);
      });
      worker.once('exit', (code, signal) => {
        workers.delete(worker);
        reject(new Error(`A worker ended while it started (code ${code}, signal ${signal}); its message is above.`));
        if (stopping || !isReplaced) return;
        log.error({ worker: worker.process.pid, code, signal }, 'a worker ended; another takes its place');
        const wait = Math.max(0, BREATHER_MS - (performance.now() - started));
        setTimeout(() => {
          if (!stopping) fork({ isReplaced: true }).catch(() => undefined);
        }, wait);
      });
    });
  };
  const stopAll = async (steps: StopSteps): Promise<void> => {
    stopping = true;
    const endOf = async (worker: Worker) => {
      const ended = end(worker, config.drainSeconds * 1_000);
      await (running ? ended : ended.catch(() => undefined)); // a worker that cannot start reports why itself
    };
    await Promise.all([...workers].map((worker) => steps.run(`worker ${worker.process.pid}`, endOf(worker))));
  };
  let ending: Promise<void> | undefined;
  const stop = (steps = new StopSteps(log)): Promise<void> => (ending ??= stopAll(steps));
  let running = false;
  const stopStarting = () => void stop();
  stopped?.addEventListener('abort', stopStarting);
  try {
    stopped?.throwIfAborted();
    const [ready] = await Promise.all(Array.from({ length: config.workers }, () => fork({ isReplaced: false })));
    if (!ready) throw new Error('WORKERS must be at least 1.');
    running = true;
    return { url: ready.url, mongodb: ready.mongodb, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    stopped?.removeEventListener('abort', stopStarting);
  }
}

const isReady = (message: unknown): message is WorkerReady =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';

/** Asks a worker to stop, and waits until it has; kills it if it does not. Rejects if it did not stop gracefully. */
function end(worker: Worker, drainMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const killer = setTimeout(() => worker.process.kill('SIGKILL'), SERVICE_STOP_MS + drainMs + 250);
    worker.once('exit', (code, signal) => {
      clearTimeout(killer);
      if (code === 0 || signal === 'SIGTERM') resolve();
      else reject(new Error(`Worker ${worker.process.pid} ended with code ${code}, signal ${signal}.`));
    });
    worker.process.kill('SIGTERM'); // ends a worker that has just begun and does not listen for messages yet; others ignore it
    if (worker.isConnected()) worker.send(STOP, (error) => error && worker.process.kill());
  });
}

/** A snapshot of the settings, so that later replacements do not pick up changed files. */
function workerEnv(): Readonly<Record<string, string>> {
  const { settings } = readSettings(process.env);
  return Object.fromEntries([
    ['CONFIG_FILE', ''],
    ...settings.flatMap(({ name, given }) =>
      given === undefined ? [] : [[name, given] as const, [`${name}_FILE`, '']],
    ),
  ]);
}
