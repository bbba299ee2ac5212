import type { Running } from '../contestants.ts';
import type { Figures, Load } from '../load/load.ts';
import { measure } from '../load/measure.ts';
import { warmUp } from '../load/warm-up.ts';
import { type BenchData, connectionsOf, type Operation } from '../operations.ts';
import type { BenchOptions } from '../options.ts';
import { checkAnswers } from './check-answers.ts';

/** One measurement of one contestant. */
export interface Sample extends Figures {
  readonly operation: string;
  readonly contestant: string;
  readonly connections: number;
  readonly round: number;
  /** Processor time of the contestant for each answer, in microseconds; what else the machine does hardly changes it. */
  readonly processor: number | undefined;
}

/** Who competes, in what, and how. */
export interface Tournament {
  readonly contestants: readonly Running[];
  readonly operations: readonly Operation[];
  readonly data: BenchData;
  readonly options: BenchOptions;
  readonly folder: string;
  readonly log: (line: string) => void;
}

/** How long one connection is measured in each round, in seconds. */
const ALONE_SECONDS = 2;

/** Checks the answers, warms up, and measures in rounds in which each contestant has one turn. */
export async function runTournament(tournament: Tournament): Promise<Sample[]> {
  const { contestants, operations, data, options, folder, log } = tournament;
  const samples: Sample[] = [];
  const rows = new Map(operations.map((operation) => [operation, operation.requests(data)]));
  for (const [operation, requests] of rows) await checkAnswers(operation, contestants, requests);
  log('Every contestant gives the same answers.');
  for (const [operation, requests] of rows) {
    const { name, title } = operation;
    const connections = connectionsOf(operation, options);
    const loadOf = ({ url }: Running, connections: number, seconds: number): Load => ({
      ...{ url, connections, seconds, requests, folder },
      key: 'demo-client-key',
    });
    for (const contestant of contestants) await warmUp(loadOf(contestant, connections, 0), options.warmUp);
    for (let round = 1; round <= options.rounds; round++) {
      for (const contestant of inTurn(contestants, round)) {
        const turn = { operation: name, contestant: contestant.name, round };
        const load = loadOf(contestant, connections, options.seconds);
        samples.push({ ...turn, connections, ...(await turnOf(contestant, load)) });
        if (!options.quick && connections > 1) {
          samples.push({
            ...turn,
            connections: 1,
            ...(await turnOf(contestant, loadOf(contestant, 1, ALONE_SECONDS))),
          });
        }
      }
    }
    log(`Measured: ${title}.`);
  }
  return samples;
}

async function turnOf(contestant: Running, load: Load): Promise<Figures & Pick<Sample, 'processor'>> {
  const before = contestant.processorTime();
  const figures = await measure(load);
  const after = contestant.processorTime();
  const answers = figures.perSecond * load.seconds;
  const used = before === undefined || after === undefined ? undefined : ((after - before) * 1000) / answers;
  return { ...figures, processor: used };
}

/** Each round begins with another contestant, so that none always comes after the same one. */
const inTurn = <T>(items: readonly T[], round: number): T[] =>
  items.map((_, index) => items[(index + round) % items.length] as T);
