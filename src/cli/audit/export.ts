import { createWriteStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { taken } from '../../backup/archive-writer.ts';
import { PROGRAM } from '../../model/command-line.ts';
import { DATETIME_FORMS, instantOf } from '../../model/instant.ts';
import type { ExportFilter } from '../../store/audit/audit-log.ts';
import type { Stores } from '../../store/stores.ts';
import { readWords, refuseAny, runOnDatabase, surplus, tenantOf, type Work } from '../on-database.ts';
import { write } from '../output/stdout.ts';

export const USAGE = `${PROGRAM} audit [--since WHEN] [--until WHEN] [--tenant UUID] --export FILE
writes the audit log of all tenants, or of one, as a JSON object a line; FILE is a new file, or - for stdout.`;

/** Exports the audit log as NDJSON, the oldest line first. */
export const run = (args: readonly string[]): Promise<number> => runOnDatabase(USAGE, () => workOf(args));

function workOf(args: readonly string[]): Work {
  const options = ['since', 'until', 'tenant', 'export'];
  const { values, positionals } = readWords(args, options);
  const problems = surplus(values, positionals, options);
  const instant = (name: 'since' | 'until'): Date | undefined => {
    const text = values[name];
    const found = text === undefined ? undefined : instantOf(text);
    if (text !== undefined && found === undefined) problems.push(`--${name} must be ${DATETIME_FORMS}.`);
    return found;
  };
  const filter: ExportFilter = {
    from: instant('since'),
    to: instant('until'),
    ...(values.tenant !== undefined && { tenant: tenantOf(values, problems) }),
  };
  if (filter.from && filter.to && filter.from > filter.to) problems.push('--since must not be later than --until.');
  const name = values.export ?? '';
  if (name === '') problems.push('--export must name the file to write, or - for stdout.');
  refuseAny(problems);
  if (name === '-') return async (stores) => void (await exported(stores, filter, toStdout));
  const file = resolve(name);
  if (existsSync(file)) throw new Error(taken(file));
  return async (stores) => {
    const lines = await exported(stores, filter, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
    console.error(`${file}: ${lines} ${lines === 1 ? 'line' : 'lines'}.`);
  };
}

type Sink = NodeJS.WritableStream | ((lines: AsyncIterable<string>) => Promise<void>);

async function toStdout(lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) await write(line);
}

/** Writes the lines one after the other, so that memory stays flat; how many there were. */
async function exported({ audit }: Stores, filter: ExportFilter, sink: Sink): Promise<number> {
  let count = 0;
  const lines = async function* () {
    for await (const entry of audit.all(filter)) {
      count += 1;
      yield `${JSON.stringify(entry)}\n`;
    }
  };
  await pipeline(Readable.from(lines()), sink);
  return count;
}
