import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binariesIn, type Search, some } from './candidates.ts';
import { runTool } from './run-tool.ts';

const program = fileURLToPath(new URL(`official-download${extname(import.meta.filename)}`, import.meta.url));

/** Downloads an official MongoDB into the cache; gives up after one attempt, or 60 s without data. */
export async function fetchOfficial({ cacheDir, env, log }: Search): Promise<string[]> {
  const folder = join(cacheDir, 'official');
  log(`Fetching MongoDB into ${folder} (about 100 MB, once): the official download …`);
  await runTool(process.execPath, [program, folder], {
    log,
    env: {
      ...env,
      npm_config_strict_ssl: 'true', // the downloader checks certificates only if npm's setting says so
      MONGOMS_MAX_RETRIES: '1', // there is another source after this one
      MONGOMS_PREFER_GLOBAL_PATH: 'false',
    },
  });
  return some(binariesIn(folder), `the download left nothing in ${folder}`);
}
