import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/embedded-mongod/mongod.ts';
import { Child } from './child.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
/** What a gateway may take of our environment; anything else would make runs differ. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE'] as const;
/** A message is tried again every second, more often than a receiver fails. */
const RETRY_SECONDS = `0${',1'.repeat(19)}`;
const START_MS = 60_000;
const STOP_MS = 40_000;

interface GatewayPlace {
  readonly name: string;
  readonly uri: string;
  readonly database: string;
  readonly folder: string;
}

/** A real process of src/main.ts, whose address stays the same from life to life. */
export class Gateway {
  readonly name: string;
  readonly url: string;
  /** How often it ended without having been told to. */
  crashes = 0;
  /** How often it did not end in time after SIGTERM. */
  lateStops = 0;
  readonly #place: GatewayPlace;
  readonly #port: number;
  readonly #logFile: string;
  #child: Child | undefined;
  #isWanted = false;

  private constructor(place: GatewayPlace, port: number) {
    this.name = place.name;
    this.url = `http://127.0.0.1:${port}`;
    this.#place = place;
    this.#port = port;
    this.#logFile = join(place.folder, `${place.name}.log`);
  }

  static async at(place: GatewayPlace): Promise<Gateway> {
    return new Gateway(place, await freePort());
  }

  /** Starts it, again and again where the database is not there for it, and waits until it serves. */
  async start(): Promise<void> {
    this.#isWanted = true;
    for (const end = performance.now() + START_MS; performance.now() < end && this.#isWanted; await sleep(200)) {
      const child = this.#spawn();
      this.#child = child;
      while (child.alive && performance.now() < end) {
        if (await this.#serves()) {
          void child.ended.then(() => this.#ended(child));
          return;
        }
        await sleep(50);
      }
      await child.kill();
    }
    if (this.#isWanted) throw new Error(`${this.name} does not serve after ${START_MS / 1_000} s: ${this.lastWords()}`);
  }

  async kill(): Promise<void> {
    this.#isWanted = false;
    await this.#child?.kill();
  }

  /** SIGTERM, as a supervisor does it. */
  async stop(): Promise<void> {
    this.#isWanted = false;
    if (this.#child?.alive && !(await this.#child.stop(STOP_MS))) this.lateStops += 1;
  }

  lastWords(): string {
    return this.#log().split('\n').slice(-5).join('\n');
  }

  #spawn(): Child {
    const { uri, database } = this.#place;
    const inherited = Object.fromEntries(INHERITED.flatMap((name) => [[name, process.env[name]]]));
    const settings = { MONGODB_URI: uri, MONGODB_DATABASE: database, ENVIRONMENT: 'demo', PORT: String(this.#port) };
    const retries = { WEBHOOK_RETRY_SECONDS: RETRY_SECONDS };
    return new Child({
      command: process.execPath,
      args: [MAIN],
      env: { ...inherited, ...settings, ...retries, NODE_ENV: 'production', LOG_LEVEL: 'warn' },
      logFile: this.#logFile,
    });
  }

  async #serves(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/bridge/v1/health`, { signal: AbortSignal.timeout(3_000) });
      await response.text();
      return true;
    } catch {
      return false;
    }
  }

  /** One that crashed is started again, as a supervisor does it. */
  #ended(child: Child): void {
    if (!this.#isWanted || this.#child !== child) return;
    this.crashes += 1;
    void this.start().catch(() => undefined);
  }

  #log(): string {
    try {
      return readFileSync(this.#logFile, 'utf8');
    } catch {
      return '';
    }
  }
}
