import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Counts, headersOf, type Load } from './load.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, 'autocannon-process.mjs');

/** Runs autocannon in a process of its own. */
export async function autocannon(load: Load): Promise<Counts> {
  const file = join(load.folder, 'requests.json');
  const requests = load.requests.map((request) => ({ ...request, headers: headersOf(load, request) }));
  const { url, connections, seconds } = load;
  const length = load.once ? { amount: requests.length } : { duration: seconds };
  writeFileSync(file, JSON.stringify({ url, connections, ...length, requests }));
  const { stdout } = await run(process.execPath, [program, file]);
  return JSON.parse(stdout) as Counts;
}
