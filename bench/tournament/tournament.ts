import type { Stores } from '../../src/store/stores.ts';
import type { Running } from '../contestants.ts';
import { answersOf, type Figures, type Load } from '../load/load.ts';
import { measure } from '../load/measure.ts';
import { settled } from '../load/settle.ts';
import { warmUp } from '../load/warm-up.ts';
import type { BenchOptions } from '../options.ts';
import {
  answering,
  type BenchData,
  type BenchRequest,
  connectionsOf,
  type Operation,
  type Turn,
} from '../rows/operation.ts';
import { checkAnswers } from './check-answers.ts';

/** One measurement of one contestant. */
export interface Sample extends Figures {
  readonly operation: string;
  readonly contestant: string;
  readonly connections: number;
  readonly round: number;
  /** CPU time of the contestant per answer, in microseconds; hardly affected by other load on the machine. */
  readonly processor: number | undefined;
}

/** The contestants, operations and options of a tournament. */
interface Tournament {
  readonly contestants: readonly Running[];
  readonly operations: readonly Operation[];
  readonly data: BenchData;
  readonly stores: Stores;
  readonly options: BenchOptions;
  readonly folder: string;
  readonly log: (line: string) => void;
}

/** How long one connection is measured in each round, in seconds. */
const ALONE_SECONDS = 2;

/** The number of requests of one connection, if each is sent once. */
const ALONE_ONCE = 128;

/** Background work is reported from this many milliseconds on. */
const TOLD_MS = 200;

/** Checks the answers, warms up, and measures in rounds with one turn for each contestant. */
export async function runTournament(tournament: Tournament): Promise<Sample[]> {
  const { operations, log } = tournament;
  const rows = operations.map((operation) => new Row(tournament, operation));
  for (const row of rows) await row.check();
  log('Every contestant gives the same answers.');
  const samples: Sample[] = [];
  for (const row of rows) {
    const measured = await row.measure();
    samples.push(...measured);
    log(`Measured: ${row.operation.title}: ${ratesOf(measured)} a second.`);
  }
  return samples;
}

/** One operation of a tournament. */
class Row {
  readonly operation: Operation;
  readonly #tournament: Tournament;
  readonly #contestants: readonly Running[];
  readonly #requests = new Map<Running, readonly BenchRequest[]>();

  constructor(tournament: Tournament, operation: Operation) {
    this.operation = operation;
    this.#tournament = tournament;
    this.#contestants = answering(tournament.contestants, operation);
  }

  check(): Promise<void> {
    return checkAnswers(this.operation, this.#contestants, (contestant) => this.#requestsFor(contestant));
  }

  async measure(): Promise<Sample[]> {
    const { name } = this.operation;
    const { options } = this.#tournament;
    const connections = connectionsOf(this.operation, options);
    const samples: Sample[] = [];
    for (const contestant of this.#contestants) {
      await warmUp(await this.#load(contestant, connections, 0), options.warmUp);
    }
    if (!options.quick) await this.#settle();
    for (let round = 1; round <= options.rounds; round++) {
      for (const contestant of inTurn(this.#contestants, round)) {
        const turn = { operation: name, contestant: contestant.name, round };
        const load = await this.#load(contestant, connections, options.seconds);
        samples.push({ ...turn, connections, ...(await turnOf(contestant, load)) });
        if (options.quick || connections === 1) continue;
        const alone = await this.#load(contestant, 1, ALONE_SECONDS);
        const requests = alone.once ? alone.requests.slice(0, ALONE_ONCE) : alone.requests;
        samples.push({ ...turn, connections: 1, ...(await turnOf(contestant, { ...alone, requests })) });
      }
    }
    return samples;
  }

  /** Background work may continue in any contestant, even in one that does not answer this operation. */
  async #settle(): Promise<void> {
    const { contestants, log } = this.#tournament;
    for (const [name, ms] of await settled(contestants)) {
      if (ms >= TOLD_MS) log(`${name} used ${ms} ms of processor time for what came before, which is not measured.`);
    }
  }

  async #load(contestant: Running, connections: number, seconds: number): Promise<Load> {
    const requests = await this.#requestsFor(contestant);
    const { folder } = this.#tournament;
    const { once } = this.operation;
    return { url: contestant.url, key: 'demo-client-key', connections, seconds, requests, folder, once };
  }

  /** The requests for a contestant; made only once if they can be sent repeatedly. */
  async #requestsFor(contestant: Running): Promise<readonly BenchRequest[]> {
    const known = this.#requests.get(contestant);
    if (known) return known;
    const { data, stores } = this.#tournament;
    const turn: Turn = { ...data, stores, url: contestant.url };
    const made = await this.operation.requests(turn);
    if (!this.operation.once) this.#requests.set(contestant, made);
    return made;
  }
}

/** The mean rates of a row with all of its connections, logged so that even an interrupted run reports something. */
function ratesOf(samples: readonly Sample[]): string {
  const connections = Math.max(...samples.map((sample) => sample.connections));
  const many = Map.groupBy(
    samples.filter((sample) => sample.connections === connections),
    ({ contestant }) => contestant,
  );
  const rate = (of: readonly Sample[]) =>
    (of.reduce((sum, { perSecond }) => sum + perSecond, 0) / of.length).toFixed(0);
  return [...many].map(([name, of]) => `${name} ${rate(of)}`).join(', ');
}

async function turnOf(contestant: Running, load: Load): Promise<Figures & Pick<Sample, 'processor'>> {
  const before = contestant.processorTime();
  const figures = await measure(load);
  const after = contestant.processorTime();
  const answers = answersOf(figures, load);
  const used = before === undefined || after === undefined ? undefined : ((after - before) * 1000) / answers;
  return { ...figures, processor: used };
}

/** Each round begins with another contestant, so that none always runs after the same one. */
const inTurn = <T>(items: readonly T[], round: number): T[] =>
  items.map((_, index) => items[(index + round) % items.length] as T);
