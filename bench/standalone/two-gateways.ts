// npm run bench -- --only gateways: two gateways of two workers each on one database; their total throughput compared with one.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { OURS, type Running, startContestant } from '../contestants.ts';
import type { Figures, Load } from '../load/load.ts';
import { measure } from '../load/measure.ts';
import { warmUp } from '../load/warm-up.ts';
import type { Measurement } from '../measurement.ts';
import { OPERATIONS } from '../operations.ts';
import type { Stage } from '../stage.ts';
import { spreadOf } from '../tournament/figures.ts';

/** Creations come last, so that their background work is not charged to another operation. */
const ASKED = ['read', 'list', 'nested', 'create'];

/** Measures each operation in rounds, with one gateway and then with both at once, each with its own connections. */
export async function benchGateways({ stage, options, log }: Measurement): Promise<void> {
  const gateways: Running[] = [];
  try {
    for (const name of ['first', 'second']) {
      gateways.push(await startContestant({ ...OURS, name, settings: { WORKERS: '2' } }, stage.place));
    }
    for (const operation of ASKED.flatMap((asked) => OPERATIONS.filter((one) => one.name === asked))) {
      const { name } = operation;
      const asked = await operation.requests({ ...stage.data, stores: stage.stores, url: gateways[0]?.url ?? '' });
      const { connections, seconds } = options;
      const loadOf = ({ name: gateway, url }: Running): Load => ({
        ...{ url, connections, seconds, requests: asked, folder: folderOf(stage, gateway) },
        key: 'demo-client-key',
      });
      for (const gateway of gateways) await warmUp(loadOf(gateway), options.warmUp);
      const ratios: number[] = [];
      for (let round = 0; round < options.rounds; round++) {
        const alone = await measure(loadOf(gateways[round % 2] as Running));
        const both = sumOf(await Promise.all(gateways.map((gateway) => measure(loadOf(gateway)))));
        ratios.push(both / alone.perSecond);
        log(`${name.padEnd(8)} one gateway ${alone.perSecond.toFixed(0)} a second, two ${both.toFixed(0)}`);
      }
      log(`${name.padEnd(8)} two beside one: ${spreadOf(ratios).median.toFixed(2)}`);
    }
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
  }
}

/** A separate folder for the files of each load program. */
function folderOf({ place }: Stage, gateway: string): string {
  const folder = join(place.folder, `load-${gateway}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const sumOf = (figures: readonly Figures[]): number => figures.reduce((sum, { perSecond }) => sum + perSecond, 0);
