import { readConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { startService } from '../service.ts';
import { toldError } from '../store/without-values.ts';
import { startMetrics } from '../telemetry/process-metrics.ts';
import { startTracing } from '../telemetry/start-tracing.ts';
import { warnAtFileLimit } from './file-limit.ts';
import { tuneHeap } from './heap-tuning.ts';
import { returnIdleMemory } from './idle-memory.ts';
import { STOP_SIGNALS } from './stop-signals.ts';
import { SERVICE_STOP_MS, StopSteps } from './stop-steps.ts';
import { stopOnUncaught } from './uncaught.ts';
import { STOP, type WorkerReady } from './workers.ts';

/** One of several processes that serve a port (WORKERS): serves until the first process releases it or dies. */
const config = readConfig(process.env);
const log = createLog(config);
let serving = false;
const starting = new AbortController();
const released = new Promise<void>((resolve) => {
  const release = (code: number) => {
    resolve();
    if (serving) return;
    process.exitCode = code;
    starting.abort(); // there is nobody left to serve
    setTimeout(() => process.exit(), SERVICE_STOP_MS).unref();
  };
  process.once('disconnect', () => release(1));
  process.on('message', (message) => {
    if (message === STOP) release(0);
  });
});
for (const signal of STOP_SIGNALS) process.on(signal, () => undefined); // the first process decides

tuneHeap();
try {
  const metrics = config.metrics.port === 0 ? undefined : startMetrics();
  const tracing = await startTracing(config.traces, log);
  const service = await startService({
    config,
    uri: config.mongodbUri ?? '',
    log,
    stopped: starting.signal,
    metrics,
    tracing,
  });
  serving = true;
  stopOnUncaught(log, () => service.stop());
  process.send?.({ type: 'ready', url: service.url, mongodb: service.mongodb } satisfies WorkerReady);
  returnIdleMemory(log);
  warnAtFileLimit(log);
  await released;
  const steps = new StopSteps(log);
  await steps.within(SERVICE_STOP_MS + config.drainSeconds * 1_000, service.stop(steps));
  if (!steps.complete) process.exitCode = 1;
} catch (error) {
  if (!starting.signal.aborted) {
    process.stderr.write(`${toldError(error)}\n`);
    process.exitCode = 1;
  }
}
process.exit();
