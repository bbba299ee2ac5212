import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A program, and where it writes what it says. */
interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
}

/** A process outside of our process group, so that a Ctrl-C is ours alone; it dies with us, however we end. */
export class Child {
  readonly #child: ChildProcess;
  readonly ended: Promise<void>;

  constructor({ command, args, env, logFile }: Program) {
    const output = openSync(logFile, 'a');
    this.#child = spawn(command, [...args], { stdio: ['ignore', output, output], detached: true, env });
    closeSync(output);
    this.ended = once(this.#child, 'exit').then(
      () => undefined,
      () => undefined,
    );
    guard(this.#child, this.ended);
  }

  get alive(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.alive) this.#child.kill(signal);
  }

  /** kill -9; comes back when the process is gone. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }

  /** Asks it to end, and kills it when it has not after that time: false then. */
  async stop(graceMs: number): Promise<boolean> {
    this.signal('SIGTERM');
    const late = new AbortController();
    const inTime = await Promise.race([
      this.ended.then(() => true),
      sleep(graceMs, false, { signal: late.signal }).catch(() => true),
    ]);
    late.abort();
    if (!inTime) await this.kill();
    return inTime;
  }
}

/** A shell that waits for our end of a pipe, which the system closes also when we are killed, and then kills the child. */
function guard(child: ChildProcess, ended: Promise<void>): void {
  const script = 'read -r done || kill -KILL "$1"';
  const shell = spawn('sh', ['-c', script, 'chaos-guardian', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  void ended.then(() => shell.stdin.end('done\n'));
}
