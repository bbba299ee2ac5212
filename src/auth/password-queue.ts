import { rateLimited } from '../errors.ts';
import { usernameKey } from '../model/session.ts';

/** Concurrent hashes: half of Node's threads stay free for other work. */
const AT_ONCE = 2;
/** The longest wait in the queue, in milliseconds. */
const LONGEST_WAIT_MS = 2_000;
/** The weight of the newest duration in the moving average. */
const WEIGHT = 0.2;

/** Whose password is hashed. */
interface Applicant {
  readonly username: string;
  readonly network: string;
}

type Begin = () => void;

/** Those of one network that wait, by name. */
type Line = Map<string, Begin[]>;

/**
 * Hashes passwords, two at a time. Networks take turns, and the names within each, so that many attempts of one hold up no
 * other. Work that would wait longer than two seconds is rejected with RATE_LIMITED (contract §11).
 */
export class PasswordQueue {
  #running = 0;
  #averageMs = 250;
  /** In the order of their next turns. */
  readonly #lines = new Map<string, Line>();

  /** Throws RATE_LIMITED if work queued now would wait too long. */
  check({ username, network }: Applicant): void {
    if (this.#running < AT_ONCE) return;
    const turns = Math.floor(this.#ahead(usernameKey(username), network) / AT_ONCE); // after those that run now
    if (turns * this.#averageMs > LONGEST_WAIT_MS) throw tooMany();
  }

  /** Queues the work and runs it in turn. */
  async run<T>(applicant: Applicant, work: () => Promise<T>): Promise<T> {
    this.check(applicant);
    if (this.#running < AT_ONCE) this.#running += 1;
    else await this.#turn(usernameKey(applicant.username), applicant.network);
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.#averageMs += (performance.now() - begun - this.#averageMs) * WEIGHT;
      this.#pass();
    }
  }

  /** How many would have their turns before one that arrives now. */
  #ahead(name: string, network: string): number {
    const line: Line = this.#lines.get(network) ?? new Map();
    const inLine = (waiting: Line): number => [...waiting.values()].reduce((sum, { length }) => sum + length, 0);
    const rounds = (line.get(name)?.length ?? 0) + 1;
    const inNetwork = Math.min(rounds * (line.has(name) ? line.size : line.size + 1) - 1, inLine(line));
    let ahead = inNetwork;
    for (const [other, waiting] of this.#lines)
      if (other !== network) ahead += Math.min(inNetwork + 1, inLine(waiting));
    return ahead;
  }

  #turn(name: string, network: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const line: Line = this.#lines.get(network) ?? new Map();
      this.#lines.set(network, line);
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#leave(network, name, begin);
        reject(tooMany());
      }, LONGEST_WAIT_MS);
      line.set(name, [...(line.get(name) ?? []), begin]);
    });
  }

  /** Hands the slot to the first of the next name of the next network. */
  #pass(): void {
    const [next] = this.#lines;
    const [first] = next?.[1] ?? [];
    const [begin] = first?.[1] ?? [];
    if (!next || !first || !begin) {
      this.#running -= 1;
      return;
    }
    const [[network, line], [name, waiting]] = [next, first];
    this.#lines.delete(network);
    this.#lines.set(network, line);
    line.delete(name);
    line.set(name, waiting);
    this.#leave(network, name, begin);
    begin();
  }

  #leave(network: string, name: string, begin: Begin): void {
    const line = this.#lines.get(network);
    const rest = (line?.get(name) ?? []).filter((other) => other !== begin);
    if (rest.length > 0) line?.set(name, rest);
    else line?.delete(name);
    if (line?.size === 0) this.#lines.delete(network);
  }
}

const tooMany = () => rateLimited('Too many people sign in at this moment', LONGEST_WAIT_MS);
