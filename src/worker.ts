import { readConfig } from './config.ts';
import { createLog } from './log.ts';
import { startService } from './service.ts';
import { stopOnUncaught } from './uncaught.ts';
import { STOP, type WorkerReady } from './workers.ts';

/** One of several processes that serve a port (WORKERS): it serves until the first process lets it go, or is gone. */
const config = readConfig(process.env);
const log = createLog(config);
let serving = false;
const released = new Promise<void>((resolve) => {
  const release = () => {
    if (!serving) process.exit(1); // nobody is left to listen for
    resolve();
  };
  process.once('disconnect', release);
  process.on('message', (message) => {
    if (message === STOP) release();
  });
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined); // the first process decides

try {
  const service = await startService({ config, uri: config.mongodbUri ?? '', log });
  serving = true;
  stopOnUncaught(log, () => service.stop());
  process.send?.({ url: service.url, mongodb: service.mongodb } satisfies WorkerReady);
  await released;
  await service.stop();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
process.exit();
