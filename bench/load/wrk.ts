import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchRequest } from '../rows/operation.ts';
import { type Counts, headersOf, type Load } from './load.ts';

const run = promisify(execFile);

/** Runs wrk with one thread: the next request goes to whichever connection is free. */
export async function wrk(load: Load): Promise<Counts> {
  const script = join(load.folder, 'requests.lua');
  writeFileSync(script, luaOf(load));
  const { stdout } = await run('wrk', [
    ...['--threads', '1', '--connections', String(load.connections), '--duration', `${load.seconds}s`],
    ...['--timeout', '10s', '--script', script, load.url],
  ]);
  const [, counts] = /^COUNTS (.*)$/m.exec(stdout) ?? [];
  if (!counts) throw new Error(`wrk said nothing that can be read:\n${stdout}`);
  return JSON.parse(counts) as Counts;
}

/** JSON strings are valid Lua strings as long as their only control characters are line ends and tabs. */
const luaOf = (load: Load): string => `
local rows = {
${load.requests.map((request) => `  ${JSON.stringify(wireOf(load, request))},`).join('\n')}
}
local at = 0
request = function()
  at = at % #rows + 1
  return rows[at]
end
done = function(summary, latency)
  local errors = summary.errors
  print(string.format('COUNTS {"perSecond":%.2f,"p50":%.4f,"p99":%.4f,"failed":%d}',
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
`;

function wireOf(load: Load, request: BenchRequest): string {
  const { method, path, body = '' } = request;
  const headers = {
    Host: new URL(load.url).host,
    ...headersOf(load, request),
    ...(body !== '' && { 'Content-Length': Buffer.byteLength(body) }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
