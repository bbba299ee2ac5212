import { type Config, readConfig } from './config.ts';
import { DEMO_KEYS, DEMO_USER } from './demo/principals.ts';
import { projectCacheDir as cacheDir, startEmbedded } from './embedded-mongod/server.ts';
import { createLog } from './log.ts';
import { tuneHeap } from './process/heap-tuning.ts';
import { returnIdleMemory } from './process/idle-memory.ts';
import { DATABASE_STOP_MS, SERVING_STOP_MS, StopSteps } from './process/stop-steps.ts';
import { stopOnUncaught } from './process/uncaught.ts';
import { startWorkers } from './process/workers.ts';
import { type ServiceParts, type Serving, startService } from './service.ts';
import { serveProcessMetrics, startMetrics } from './telemetry/process-metrics.ts';
import { startTracing } from './telemetry/start-tracing.ts';

tuneHeap();
try {
  await main(readConfig(process.env));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (process.env.LOG_LEVEL === 'debug') console.error(error);
  process.exitCode = 1;
}

/** Starts the database if none is given, then the service, and stops both on a signal. */
async function main(config: Config): Promise<void> {
  const log = createLog(config);
  const isMeasured = config.metrics.port !== 0;
  const metrics = isMeasured && config.workers === 1 ? startMetrics() : undefined;
  const metricsServer = isMeasured ? await serveProcessMetrics(metrics, config.metrics, log) : undefined;
  const embedded = config.mongodbUri
    ? undefined
    : await startEmbedded({
        dataDir: config.dataDir,
        cacheDir,
        env: { ...process.env, MONGOD_BINARY: config.mongodBinary },
        log: say,
        supervision: log,
      });
  const tracing = config.workers === 1 ? await startTracing(config.traces, log) : undefined;
  const start: (parts: ServiceParts) => Promise<Serving> = config.workers > 1 ? startWorkers : startService;
  const service = await start({ config, uri: config.mongodbUri ?? embedded?.uri ?? '', log, metrics, tracing }).catch(
    async (error: unknown) => {
      await embedded?.stop();
      throw error;
    },
  );
  embedded?.announce(service.url);
  let stopping: Promise<void> | undefined;
  const stopInOrder = async (reason: string) => {
    log.info({ reason }, 'stopping');
    const steps = new StopSteps(log);
    await steps.run(
      'the note in the lock',
      Promise.try(() => embedded?.announceStop()),
    );
    await steps.within(SERVING_STOP_MS + config.drainSeconds * 1_000, service.stop(steps));
    await steps.within(DATABASE_STOP_MS, steps.run('the embedded mongod', embedded?.stop()));
    if (!steps.complete) process.exitCode = 1;
    log.info('stopped');
    process.exit(); // whatever is still open
  };
  const stop = (reason: string): Promise<void> => (stopping ??= stopInOrder(reason));
  stopOnUncaught(log, () => stop('an uncaught error'));
  // A signal to the whole process group comes twice: from its sender, and from the starter that passes it on.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
  void embedded?.ended.then((failure) => {
    if (stopping) return;
    log.fatal(`${failure?.message ?? 'the embedded mongod ended'}; the service stops`);
    process.exitCode = 1;
    return stop('the database ended');
  });
  greet(config, service, metricsServer?.url);
  returnIdleMemory(log);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function greet(config: Config, { url, mongodb }: Serving, metrics: string | undefined): void {
  const base = config.hasBaseUrl ? config.baseUrl : url;
  say(`MongoDB ${mongodb}, ${config.mongodbUri ? 'from MONGODB_URI' : `embedded, data in ${config.dataDir}`}.`);
  say(`GraphQL and GraphiQL   ${base}/graphql`);
  say(`OpenAPI                ${base}/openapi.json`);
  say(`Health                 ${base}/bridge/v1/health`);
  if (metrics !== undefined) say(`Metrics                ${metrics}`);
  if (config.environment === 'demo') {
    say('Demo keys, sent as "Authorization: Bearer <key>":');
    for (const { key, name } of DEMO_KEYS) say(`  ${key.padEnd(18)} ${name}`);
    say(`Demo user, who signs in at ${base}/api/rest/1.0/session: ${DEMO_USER.username} / ${DEMO_USER.password}`);
  }
  say(`Ready: the inspection exchange (${config.environment}) serves ${base}`);
}
