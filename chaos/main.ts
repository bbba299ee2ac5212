// npm run chaos: writers, subscribers and faults against three members and two gateways. See README.md in this folder.
import { writeFileSync } from 'node:fs';
import { readOptions, USAGE } from './options.ts';
import { isGood, linesOf } from './report.ts';
import { runChaos } from './run.ts';

const say = (line: string): void => console.log(line);

try {
  const options = readOptions(process.argv.slice(2));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  const report = await runChaos({ ...options, say, stopped: stop.signal });
  for (const line of linesOf(report)) say(line);
  if (options.json) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  process.exit(isGood(report) ? 0 : 1);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(`\n${USAGE}`);
  process.exit(1);
}
