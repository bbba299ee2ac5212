import { startProjectingAudits } from '../figure-audit-projection/audit-projector.ts';
import { PROGRAM } from '../model/command-line.ts';
import { checkForm } from '../store/migrations/check-form.ts';
import { rebuildStatistics, toldTo } from '../store/statistics/rebuild.ts';
import { connectStores } from '../store/stores.ts';
import { withoutValues } from '../store/without-values.ts';
import { refuseAny, UsageError } from './arguments/usage-error.ts';
import { surplus } from './arguments/words.ts';
import { onLongConnection, withDatabase } from './database.ts';
import { ProgressLine } from './output/progress-line.ts';

export const USAGE = `${PROGRAM} rebuild statistics     counts all jobs again, while the service runs
${PROGRAM} rebuild audits         audits the figures of all jobs again, while the service runs`;

/** Rebuilds what is derived from the documents. */
export async function run(args: readonly string[]): Promise<void> {
  const [name = '', ...rest] = args;
  const work = WORKS.get(name);
  if (!work) throw new UsageError(unknownWork(name));
  refuseAny(surplus({}, rest, []));
  await work();
}

const unknownWork = (name: string): string =>
  name === ''
    ? 'What is to be rebuilt? Statistics and audits can be.'
    : `${name} cannot be rebuilt; statistics and audits can.`;

async function rebuild(): Promise<void> {
  const line = new ProgressLine(process.stderr);
  const problems: string[] = [];
  const told = toldTo({ warn: (fields, message) => problems.push(textOf(fields, message)) });
  const progress = (read: number, total: number) => line.show(`${read} of ${Math.max(read, total)}`);
  const outcome = await withDatabase({ mustExist: true }, (address) =>
    onLongConnection(address, async (db) => {
      await checkForm(db, false);
      return rebuildStatistics(db, told, progress);
    }),
  ).finally(() => line.end());
  for (const problem of problems) console.error(problem);
  console.log(
    outcome.changed === 0
      ? `The statistics are right: ${outcome.read} documents were read.`
      : `${outcome.read} documents were read, and ${outcome.changed} kept figures corrected.`,
  );
}

const WHO_AUDITS =
  'If a gateway runs, it audits all jobs again, and its log says how far it is; Ctrl-C ends only the wait for it. Otherwise, this command does.';

/** Has the audits rebuilt by the gateway that keeps them, or by this process if none runs. */
async function rebuildAudits(): Promise<void> {
  await withDatabase({ mustExist: true }, async (address) => {
    const stores = await connectStores(address);
    const log = { info: say, warn: say };
    const end = startProjectingAudits(stores, log);
    console.error(WHO_AUDITS);
    try {
      await stores.audits.remake();
    } finally {
      await end();
      await stores.close();
    }
  });
  console.log('The figures of all jobs have been audited again.');
}

const say = (fields: object, message: string): void => console.error(textOf(fields, message));

function textOf(fields: object, message: string): string {
  if (Object.keys(fields).length === 0) return message;
  const shown = (_: string, value: unknown) => (value instanceof Error ? withoutValues(value.message) : value);
  return `${message} ${JSON.stringify(fields, shown)}`;
}

const WORKS: ReadonlyMap<string, () => Promise<void>> = new Map([
  ['statistics', rebuild],
  ['audits', rebuildAudits],
]);
