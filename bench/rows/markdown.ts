import { figureOf, type Measure, ratioOf, type Spread } from '../tournament/figures.ts';
import type { Outcome } from '../tournament/report.ts';
import { answering, connectionsOf } from './operation.ts';
import type { Delays } from './subscription.ts';

const RIVAL = 'handwritten';

/** All rows compared with the hand-written contestant, as a Markdown table. */
export function markdownOf({ operations, options, samples }: Outcome, delays: readonly Delays[]): string {
  const rows = operations.map((operation) => {
    const { name, title } = operation;
    const many = connectionsOf(operation, options);
    const of = (connections: number) =>
      samples.filter((sample) => sample.operation === name && sample.connections === connections);
    const ratio = (measure: Measure, connections = many): string => shown(ratioOf(of(connections), RIVAL, measure));
    const rates = answering([{ name: 'ours' }, { name: RIVAL }], operation).map((one) =>
      figureOf(of(many), one.name, 'perSecond').median.toFixed(0),
    );
    return [title, ...[ratio('perSecond'), ratio('processor'), ratio('p50', 1)], ...rates];
  });
  const head = ['row', 'throughput', 'processor time', 'latency of one connection', 'ours/s', 'theirs/s'];
  const lines = [head, ['---', ...head.slice(1).map(() => '---:')], ...rows];
  return [...lines.map((cells) => `| ${cells.join(' | ')} |`), '', ...delayLines(delays)].join('\n');
}

/** The delays of events, for people to read. */
export function delayLines(delays: readonly Delays[]): string[] {
  const [mine, theirs] = ['ours', RIVAL].map((name) => delays.find(({ contestant }) => contestant === name));
  if (!mine || !theirs) return [];
  const line = (name: 'p50' | 'p99'): string =>
    `${name} ${mine[name].toFixed(1)} ms ours, ${theirs[name].toFixed(1)} ms theirs (ratio ${(mine[name] / theirs[name]).toFixed(2)})`;
  return [`From the beginning of a write to the client of a subscription: ${line('p50')}; ${line('p99')}.`];
}

const shown = ({ median }: Spread): string => (Number.isNaN(median) ? '–' : median.toFixed(2));
