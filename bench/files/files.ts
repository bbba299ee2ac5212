// npm run bench -- --only files: files through the whole service, compared with the driver's own GridFS streams in process.
import { createHash } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { OURS, type Running, startContestant } from '../contestants.ts';
import type { Measurement } from '../measurement.ts';
import { spreadOf } from '../tournament/figures.ts';
import { driverBucket, MEGABYTE, type Mover, throughGateway } from './file-movers.ts';

/** Measures megabytes per second up and down in turn, and the gateway's memory while 1 GB passes through. */
export async function benchFiles({ stage, options, log }: Measurement): Promise<void> {
  const client = await new MongoClient(stage.place.uri).connect();
  const gateway = await startContestant(OURS, stage.place);
  try {
    const ours = throughGateway(gateway, stage);
    const drivers = driverBucket(client);
    log(await checkLargeFile(gateway, ours, options.quick ? 256 : 1024));
    for (const mover of [ours, drivers]) await warmUp(mover);
    const size = (options.quick ? 64 : 256) * MEGABYTE;
    const movers = [ours, drivers];
    const rates = new Map(movers.map(({ name }) => [name, { up: [] as number[], down: [] as number[] }]));
    for (let round = 0; round < options.rounds; round++) {
      for (const mover of round % 2 === 0 ? movers : movers.toReversed()) {
        const [id, up] = await timed(() => mover.up(size));
        const [, down] = await timed(() => mover.down(id));
        await mover.remove(id);
        rates.get(mover.name)?.up.push(size / MEGABYTE / up);
        rates.get(mover.name)?.down.push(size / MEGABYTE / down);
      }
    }
    for (const way of ['up', 'down'] as const) {
      const [mine = [], theirs = []] = movers.map(({ name }) => rates.get(name)?.[way] ?? []);
      const ratios = spreadOf(mine.map((rate, index) => rate / (theirs[index] ?? Number.NaN)));
      log(
        `${way.padEnd(5)}${show(mine)} MB/s ours, ${show(theirs)} MB/s the driver's GridFS stream in process: ` +
          `ratio ${ratios.median.toFixed(2)} (${ratios.min.toFixed(2)} to ${ratios.max.toFixed(2)})`,
      );
    }
  } finally {
    await gateway.stop();
    await client.close();
  }
}

async function warmUp(mover: Mover): Promise<void> {
  const id = await mover.up(64 * MEGABYTE);
  for (let i = 0; i < 4; i++) await mover.down(id);
  await mover.remove(id);
}

const show = (rates: readonly number[]): string => spreadOf(rates).median.toFixed(0);

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const started = performance.now();
  const done = await work();
  return [done, (performance.now() - started) / 1000];
}

/** Uploads and downloads one large file: the bytes must match, and the gateway's memory is watched. */
async function checkLargeFile(gateway: Running, ours: Mover, megabytes: number): Promise<string> {
  await ours.remove(await ours.up(4 * MEGABYTE));
  const idle = gateway.memory() ?? Number.NaN;
  let peak = idle;
  const timer = setInterval(() => {
    peak = Math.max(peak, gateway.memory() ?? peak);
  }, 250);
  try {
    const [sent, received] = [createHash('sha256'), createHash('sha256')];
    const id = await ours.up(megabytes * MEGABYTE, (piece) => sent.update(piece));
    const up = peak;
    await ours.down(id, (piece) => received.update(piece));
    await ours.remove(id);
    if (sent.digest('hex') !== received.digest('hex')) throw new Error('the file came back changed');
    const more = (bytes: number) => `${((bytes - idle) / MEGABYTE).toFixed(0)} MB`;
    const base = `${(idle / MEGABYTE).toFixed(0)} MB`;
    return `${megabytes} MB came back as they were sent. Memory of the gateway: ${base} idle, up to ${more(up)} more on the way up, ${more(peak)} in all.`;
  } finally {
    clearInterval(timer);
  }
}
