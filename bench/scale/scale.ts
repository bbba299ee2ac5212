// npm run bench -- --only scale: the same questions over growing numbers of jobs; their time must not grow.
import { writeFileSync } from 'node:fs';
import { OURS, type Running, startContestant } from '../contestants.ts';
import type { BenchOptions } from '../options.ts';
import { spreadOf } from '../tournament/figures.ts';
import { changeEveryMonth } from './changed-months.ts';
import { openFilled } from './filled-database.ts';
import { plotOf } from './plot.ts';
import { type Question, questionsAbout } from './questions.ts';
import { type Measured, type Row, tableOf, writeTable } from './table.ts';

interface ScaleBench {
  readonly options: BenchOptions;
  readonly log: (line: string) => void;
}

/** The maximum time for which a question is repeated. */
const PATIENCE_MS = 5_000;

/** Measures every size on its own database, and prints the table. */
export async function benchScale({ options, log }: ScaleBench): Promise<void> {
  const measured: Measured[] = [];
  for (const jobs of sizesOf(options)) measured.push(await measureSize(jobs, { options, log }));
  if (options.fill) return;
  const rows: readonly Row[] = tableOf(measured);
  log(writeTable(measured, rows));
  if (options.plot) writeFileSync(options.plot, plotOf(measured, rows));
}

function sizesOf({ quick, sizes, jobs }: BenchOptions): readonly number[] {
  if (sizes) return sizes;
  if (quick) return [2_500, 10_000];
  return jobs > 100_000 ? [10_000, 100_000, jobs] : [10_000, 100_000];
}

async function measureSize(jobs: number, { options, log }: ScaleBench): Promise<Measured> {
  const { place, stores, filled, close } = await openFilled(jobs, { keep: options.keep, log });
  try {
    const questions = await questionsAbout(stores, filled);
    await stores.db.admin().command({ fsync: 1 }); // index sizes are as of the last checkpoint
    const bytes = await bytesOf((of) => stores.db.command(of));
    const p50 = new Map<string, number>();
    if (options.fill) return { ...filled, p50, questions, bytes };
    const gateway = await startContestant(OURS, place);
    try {
      await stores.statistics.freshness.passed(); // a gateway that has just started caches nothing yet
      for (const question of questions) {
        const end = question.isReadAnew ? await changeEveryMonth(stores) : undefined;
        p50.set(question.title, await medianOf(question, gateway, options));
        await end?.();
      }
      return { ...filled, p50, questions, bytes };
    } finally {
      await gateway.stop();
    }
  } finally {
    await close();
  }
}

async function bytesOf(command: (of: object) => Promise<unknown>): Promise<Measured['bytes']> {
  const { count, size, totalIndexSize } = (await command({ collStats: 'documents' })) as Record<string, number>;
  const each = (total = 0): number => Math.round(total / (count ?? 1));
  return { document: each(size), indexes: each(totalIndexSize) };
}

async function medianOf(question: Question, gateway: Running, { quick }: BenchOptions): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + PATIENCE_MS;
  for (let round = 0; round < (quick ? 8 : 23); round++) {
    const started = performance.now();
    await ask(question, gateway);
    if (round > 2 || performance.now() > until) times.push(performance.now() - started);
    if (performance.now() > until && times.length > 0) break;
  }
  return spreadOf(times).median;
}

async function ask({ title, ask: asked }: Question, { url }: Running): Promise<void> {
  const isQuery = 'query' in asked;
  const answer = await fetch(`${url}${isQuery ? '/graphql' : asked.path}`, {
    method: isQuery ? 'POST' : 'GET',
    headers: { Authorization: 'Bearer demo-client-key', ...(isQuery && { 'Content-Type': 'application/json' }) },
    body: isQuery ? JSON.stringify(asked) : null,
  });
  const text = await answer.text();
  if (!answer.ok || text.includes('"errors":[')) throw new Error(`${title}: ${answer.status} ${text.slice(0, 500)}`);
}
