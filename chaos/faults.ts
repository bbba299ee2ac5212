import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../src/demo/random.ts';
import type { Ledger } from './ledger.ts';
import type { Gateway } from './processes/gateway.ts';
import type { Member } from './processes/member.ts';
import type { ReplicaSet } from './processes/replica-set.ts';

/** What is done to the replica set or a gateway; each undoes itself before the next of its kind. */
const MEMBER_FAULTS = [
  'primary killed',
  'primary killed',
  'primary killed',
  'secondary killed',
  'primary stopped for a while',
  'secondary stopped for a while',
  'primary stepped down',
  'primary cut off, then killed',
] as const;
type MemberFault = (typeof MEMBER_FAULTS)[number];

/** Those that end a process by kill -9. */
const KILLS: readonly string[] = [
  'primary killed',
  'secondary killed',
  'primary cut off, then killed',
  'gateway killed',
];

/** How many processes were ended by kill -9. */
export const killsIn = (counts: ReadonlyMap<string, number>): number =>
  KILLS.reduce((sum, fault) => sum + (counts.get(fault) ?? 0), 0);

const WHOLE_MS = 90_000;

interface FaultParts {
  readonly replicaSet: ReplicaSet;
  readonly gateways: readonly Gateway[];
  readonly ledger: Ledger;
  /** The seed's chance, apart from that of the writers, so that the order of faults stays the same. */
  readonly random: (seed: number) => Random;
  /** How many processes are killed at least. */
  readonly leastKills: number;
}

/** Hurts the members, one at a time, and the gateways, one at a time, so that somebody can always answer. */
export class Faults {
  readonly counts = new Map<string, number>();
  readonly #parts: FaultParts;
  readonly #enoughKills = Promise.withResolvers<void>();

  constructor(parts: FaultParts) {
    this.#parts = parts;
    if (parts.leastKills === 0) this.#enoughKills.resolve();
  }

  /** Goes on until the signal, and comes back when everything that was hurt is on its feet. */
  async run(stopped: AbortSignal): Promise<void> {
    await Promise.all([this.#hurtMembers(stopped), this.#hurtGateways(stopped)]);
  }

  /** Aborted after `ms`, but not before enough processes have been killed: a slow machine takes longer for each. */
  lasting(ms: number): AbortSignal {
    const over = new AbortController();
    const both = Promise.all([sleep(ms, undefined, { ref: false }), this.#enoughKills.promise]);
    void both.then(() => over.abort());
    return over.signal;
  }

  async #hurtMembers(stopped: AbortSignal): Promise<void> {
    const { replicaSet } = this.#parts;
    const random = this.#parts.random(1);
    let queue: MemberFault[] = [];
    while (!stopped.aborted) {
      await replicaSet.untilWhole(WHOLE_MS);
      await pause(random.whole(200, 1_500), stopped);
      if (stopped.aborted) break;
      if (queue.length === 0) queue = shuffled(MEMBER_FAULTS, random);
      const fault = queue.pop();
      const primary = await replicaSet.primary();
      if (!fault || !primary) continue;
      this.#count(fault, primary.host);
      await this.#inflict(fault, primary, random);
    }
    await replicaSet.untilWhole(WHOLE_MS);
  }

  async #inflict(fault: MemberFault, primary: Member, random: Random): Promise<void> {
    const others = this.#parts.replicaSet.members.filter((member) => member !== primary);
    const secondary = random.pick(others);
    const away = random.whole(200, 3_000);
    switch (fault) {
      case 'primary killed':
        return this.#restartAfter(primary, away);
      case 'secondary killed':
        return this.#restartAfter(secondary, away);
      case 'primary stopped for a while':
        return this.#freeze([primary], away + 2_000);
      case 'secondary stopped for a while':
        return this.#freeze([secondary], away + 1_000);
      case 'primary stepped down':
        await primary
          .command({ replSetStepDown: 5, secondaryCatchUpPeriodSecs: 2, force: true })
          .catch(() => undefined);
        return;
      case 'primary cut off, then killed': {
        // What it alone has taken meanwhile is rolled back when it returns.
        const cutOff = this.#freeze(others, 600 + away / 3);
        await sleep(500 + away / 3);
        await primary.kill();
        await cutOff;
        await sleep(1_000);
        primary.start();
      }
    }
  }

  async #restartAfter(member: Member, ms: number): Promise<void> {
    await member.kill();
    await sleep(ms);
    member.start();
  }

  async #freeze(members: readonly Member[], ms: number): Promise<void> {
    for (const member of members) member.freeze();
    await sleep(ms);
    for (const member of members) member.thaw();
  }

  async #hurtGateways(stopped: AbortSignal): Promise<void> {
    const { gateways } = this.#parts;
    const random = this.#parts.random(2);
    while (!stopped.aborted) {
      await pause(random.whole(700, 3_000), stopped);
      if (stopped.aborted) break;
      const gateway = random.pick(gateways);
      const isKilled = random.whole(1, 4) > 1;
      this.#count(isKilled ? 'gateway killed' : 'gateway stopped in order', gateway.name);
      await (isKilled ? gateway.kill() : gateway.stop());
      await sleep(random.whole(0, 800));
      await gateway.start();
    }
  }

  #count(fault: string, whom: string): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    if (killsIn(this.counts) >= this.#parts.leastKills) this.#enoughKills.resolve();
    this.#parts.ledger.note(`${fault}: ${whom}`);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

/** The items in an order of chance: in a short run, too, each comes before any comes twice. */
function shuffled<T>(items: readonly T[], random: Random): T[] {
  const rest = [...items];
  const order: T[] = [];
  while (rest.length > 0) order.push(...rest.splice(random.whole(0, rest.length - 1), 1));
  return order;
}
