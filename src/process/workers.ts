import cluster, { type Worker } from 'node:cluster';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, readSettings } from '../config.ts';
import type { Log } from '../log.ts';
import type { Serving } from '../service.ts';
import { SERVICE_STOP_MS, StopSteps } from './stop-steps.ts';

/** What a worker says when it serves: the metrics of workers come over the same channel. */
export interface WorkerReady {
  readonly type: 'ready';
  readonly url: string;
  readonly mongodb: string;
}

/** What a worker is told when it is to stop: a disconnection would wait for every connection, and let no grace end. */
export const STOP = 'stop';

/** A worker that dies sooner than this after its start is started again no sooner than this. */
const BREATHER_MS = 1_000;

export interface WorkersParts {
  readonly config: Config;
  readonly uri: string;
  readonly log: Log;
  readonly stopped?: AbortSignal | undefined;
}

/** Serves one port by several processes (WORKERS); one that dies is replaced. Throws when one cannot start at all. */
export async function startWorkers({ config, uri, log, stopped }: WorkersParts): Promise<Serving> {
  cluster.setupPrimary({ exec: fileURLToPath(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url)) });
  const env = { ...workerEnv(), MONGODB_URI: uri, ENVIRONMENT: config.environment };
  let stopping = false;
  const workers = new Set<Worker>();
  /** One that ends is replaced, unless it is of the first and never served: the service cannot start then. */
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
      await (running ? ended : ended.catch(() => undefined)); // one that cannot start says why itself
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

/** Asks a worker to stop, and waits until it has; one that cannot is killed. Rejects when it did not stop in order. */
function end(worker: Worker, drainMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const killer = setTimeout(() => worker.process.kill('SIGKILL'), SERVICE_STOP_MS + drainMs + 250);
    worker.once('exit', (code, signal) => {
      clearTimeout(killer);
      if (code === 0 || signal === 'SIGTERM') resolve();
      else reject(new Error(`Worker ${worker.process.pid} ended with code ${code}, signal ${signal}.`));
    });
    worker.process.kill('SIGTERM'); // ends one that has only begun and does not listen yet; the others ignore it
    if (worker.isConnected()) worker.send(STOP, (error) => error && worker.process.kill());
  });
}

/** The settings as they are now, so that a worker that is replaced later finds no others in a file that has changed. */
function workerEnv(): Readonly<Record<string, string>> {
  const { settings } = readSettings(process.env);
  return Object.fromEntries([
    ['CONFIG_FILE', ''],
    ...settings.flatMap(({ name, given }) =>
      given === undefined ? [] : [[name, given] as const, [`${name}_FILE`, '']],
    ),
  ]);
}
