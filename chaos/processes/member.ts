import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, MongoClient } from 'mongodb';
import { Child } from './child.ts';

/** Where a member has its files, and how it is reached. */
export interface MemberPlace {
  readonly binary: string;
  readonly folder: string;
  readonly port: number;
  readonly replSet: string;
  /** How long a transaction may be open, in seconds; MongoDB's 60 if absent. */
  readonly transactionSeconds?: number | undefined;
}

/** What a member says of itself. */
interface MemberState {
  readonly isPrimary: boolean;
  readonly isSecondary: boolean;
  /** Rises with each election. */
  readonly electionId: string;
}

/** Long enough for a machine that is busy. */
const ASK_MS = 5_000;

/** One mongod of the replica set, whose files and port stay the same from life to life. */
export class Member {
  readonly host: string;
  readonly #place: MemberPlace;
  readonly #client: MongoClient;
  #child: Child | undefined;

  constructor(place: MemberPlace) {
    this.#place = place;
    this.host = `127.0.0.1:${place.port}`;
    this.#client = new MongoClient(`mongodb://${this.host}/?directConnection=true`, {
      serverSelectionTimeoutMS: ASK_MS,
      connectTimeoutMS: ASK_MS,
      socketTimeoutMS: ASK_MS,
      heartbeatFrequencyMS: 500,
    });
  }

  start(): void {
    const { binary, folder, port, replSet, transactionSeconds } = this.#place;
    const dbPath = join(folder, 'db');
    mkdirSync(dbPath, { recursive: true });
    this.#child = new Child({
      command: binary,
      args: [
        ...['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'],
        ...['--replSet', replSet, '--storageEngine', 'wiredTiger', '--wiredTigerCacheSizeGB', '0.25'],
        ...['--oplogSize', '256', '--quiet', '--slowms', '2000'],
        ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
        ...(transactionSeconds === undefined
          ? []
          : ['--setParameter', `transactionLifetimeLimitSeconds=${transactionSeconds}`]),
      ],
      env: process.env,
      logFile: join(folder, 'mongod.log'),
    });
  }

  kill(): Promise<void> {
    return this.#child?.kill() ?? Promise.resolve();
  }

  freeze(): void {
    this.#child?.signal('SIGSTOP');
  }

  thaw(): void {
    this.#child?.signal('SIGCONT');
  }

  /** A command to this member alone. */
  command(command: Document): Promise<Document> {
    return this.#client.db('admin').command(command);
  }

  /** Undefined while it does not answer. */
  async state(): Promise<MemberState | undefined> {
    try {
      const { isWritablePrimary, secondary, electionId } = await this.command({ hello: 1 });
      return {
        isPrimary: isWritablePrimary === true,
        isSecondary: secondary === true,
        electionId: String(electionId ?? ''),
      };
    } catch {
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => undefined);
    await this.kill();
  }
}
