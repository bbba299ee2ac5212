import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMongod } from '../../src/embedded-mongod/binary.ts';
import { freePort } from '../../src/embedded-mongod/mongod.ts';
import { projectCacheDir } from '../../src/embedded-mongod/server.ts';
import { Member, type MemberPlace } from './member.ts';

/** After how long without a primary the members elect another one. */
export const ELECTION_MS = 1_500;

const REPL_SET = 'chaos';
const MEMBERS = 3;
const START_MS = 90_000;

/** Three members with short elections. */
export class ReplicaSet {
  readonly members: readonly Member[];
  readonly uri: string;
  readonly version: string;

  private constructor(members: readonly Member[], version: string) {
    this.members = members;
    this.uri = `mongodb://${members.map(({ host }) => host).join(',')}/?replicaSet=${REPL_SET}`;
    this.version = version;
  }

  /** Members that have not started yet, in folders below the one that is given. */
  static async on(
    folder: string,
    log: (line: string) => void,
    settings: Pick<MemberPlace, 'transactionSeconds'> = {},
  ): Promise<ReplicaSet> {
    const binary = await findMongod({ cacheDir: projectCacheDir, env: process.env, log });
    const members: Member[] = [];
    const ports = new Set<number>();
    while (ports.size < MEMBERS) ports.add(await freePort());
    for (const port of ports) {
      const place = join(folder, `member-${members.length + 1}`);
      mkdirSync(place, { recursive: true });
      members.push(new Member({ binary: binary.path, folder: place, port, replSet: REPL_SET, ...settings }));
    }
    return new ReplicaSet(members, binary.version);
  }

  async start(): Promise<void> {
    for (const member of this.members) member.start();
    await this.#eachAnswers();
    await this.members[0]?.command({
      replSetInitiate: {
        _id: REPL_SET,
        members: this.members.map(({ host }, _id) => ({ _id, host })),
        settings: { electionTimeoutMillis: ELECTION_MS, heartbeatIntervalMillis: 500, heartbeatTimeoutSecs: 1 },
      },
    });
    await this.untilWhole(START_MS);
  }

  /** The primary of the latest election; undefined while there is none. */
  async primary(): Promise<Member | undefined> {
    const states = await Promise.all(this.members.map((member) => member.state()));
    const [first] = this.members
      .map((member, index) => ({ member, state: states[index] }))
      .filter(({ state }) => state?.isPrimary)
      .sort((a, b) => ((a.state?.electionId ?? '') < (b.state?.electionId ?? '') ? 1 : -1));
    return first?.member;
  }

  /** Waits until one member is primary and all others follow it; throws after that time. */
  async untilWhole(ms: number): Promise<void> {
    for (const end = performance.now() + ms; performance.now() < end; await sleep(100)) {
      const states = await Promise.all(this.members.map((member) => member.state()));
      const primaries = states.filter((state) => state?.isPrimary).length;
      const secondaries = states.filter((state) => state?.isSecondary).length;
      if (primaries === 1 && secondaries === MEMBERS - 1) return;
    }
    throw new Error(`The replica set has no primary with ${MEMBERS - 1} secondaries after ${ms / 1_000} s.`);
  }

  async close(): Promise<void> {
    for (const member of this.members) member.thaw();
    await Promise.all(this.members.map((member) => member.close()));
  }

  async #eachAnswers(): Promise<void> {
    const end = performance.now() + START_MS;
    const answers = async (member: Member): Promise<boolean> => {
      while (performance.now() < end) {
        if (await member.state()) return true;
        await sleep(100);
      }
      return false;
    };
    const all = await Promise.all(this.members.map(answers));
    if (all.includes(false)) throw new Error(`The members do not answer after ${START_MS / 1_000} s.`);
  }
}
