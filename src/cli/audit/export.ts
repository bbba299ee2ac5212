import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { taken, writeNewFile } from '../../backup/new-file.ts';
import { PROGRAM } from '../../model/command-line.ts';
import { DATETIME_FORMS, lastInstantOf, requestedInstantOf } from '../../model/instant.ts';
import type { ExportFilter } from '../../store/audit/audit-log.ts';
import type { Stores } from '../../store/stores.ts';
import { refuseAny } from '../arguments/usage-error.ts';
import { readWords, surplus, tenantOf } from '../arguments/words.ts';
import { runOnDatabase, type Work } from '../on-database.ts';
import { write } from '../output/stdout.ts';
import { untilSignal } from '../signals.ts';

export const USAGE = `${PROGRAM} audit [--since WHEN] [--until WHEN] [--tenant UUID] --export FILE
writes the audit log of all tenants, or of one, as one JSON object per line; both times are included, and the whole day (UTC)
where --until is a date alone. FILE is a new file, or - for stdout.`;

/** The approximate size of a write, in characters. */
const PIECE = 64 * 1024;

/** Exports the audit log as NDJSON, oldest first. */
export const run = (args: readonly string[]): Promise<void> => runOnDatabase(() => workOf(args));

function workOf(args: readonly string[]): Work {
  const options = ['since', 'until', 'tenant', 'export'];
  const { values, positionals } = readWords(args, options);
  const problems = surplus(values, positionals, options);
  const instant = (name: 'since' | 'until', meant = requestedInstantOf): Date | undefined => {
    const text = values[name];
    const found = text === undefined ? undefined : meant(text);
    if (text !== undefined && found === undefined) problems.push(`--${name} must be ${DATETIME_FORMS}.`);
    return found;
  };
  const filter: ExportFilter = {
    from: instant('since'),
    to: instant('until', lastInstantOf),
    ...(values.tenant !== undefined && { tenant: tenantOf(values, problems) }),
  };
  if (filter.from && filter.to && filter.from > filter.to) problems.push('--since must not be later than --until.');
  const name = values.export ?? '';
  if (name === '') problems.push('--export must name the file to write, or - for stdout.');
  refuseAny(problems);
  if (name === '-') return async (stores) => void (await exportTo(write, stores, filter));
  const file = resolve(name);
  if (existsSync(file)) throw new Error(taken(file));
  return async (stores) => {
    let lines = 0;
    await untilSignal((stopped) =>
      writeNewFile(file, async (writeBytes) => {
        const writeText = (text: string) => {
          stopped.throwIfAborted();
          return writeBytes(Buffer.from(text));
        };
        lines = await exportTo(writeText, stores, filter);
        stopped.throwIfAborted();
      }),
    );
    console.error(`${file}: ${lines} ${lines === 1 ? 'line' : 'lines'}.`);
  };
}

/** Writes the lines in chunks, to keep memory flat; returns their number. */
async function exportTo(
  writeText: (text: string) => Promise<void>,
  { audit }: Stores,
  filter: ExportFilter,
): Promise<number> {
  let [lines, piece] = [0, ''];
  for await (const entry of audit.all(filter)) {
    lines += 1;
    piece += `${JSON.stringify(entry)}\n`;
    if (piece.length < PIECE) continue;
    await writeText(piece);
    piece = '';
  }
  if (piece !== '') await writeText(piece);
  return lines;
}
