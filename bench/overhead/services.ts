import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { KEPT_ENVIRONMENT, type Place } from '../contestants.ts';
import type { Question, Ready, Used } from './protocol.ts';

/** All variants of the service, in a separate process. */
export class Services {
  readonly #child: ChildProcess;
  readonly #urls: Ready['urls'];

  private constructor(child: ChildProcess, { urls }: Ready) {
    this.#child = child;
    this.#urls = urls;
  }

  /** Starts the process and waits until all variants listen. */
  static async start({ uri, database, folder }: Place): Promise<Services> {
    const output = openSync(join(folder, 'services.log'), 'w');
    const child = fork(join(import.meta.dirname, 'services-process.ts'), {
      execArgv: [],
      stdio: ['ignore', output, 'inherit', 'ipc'],
      env: { ...KEPT_ENVIRONMENT, MONGODB_URI: uri, MONGODB_DATABASE: database, NODE_ENV: 'production' },
    });
    closeSync(output);
    return new Services(child, (await answerOf(child)) as Ready);
  }

  urlOf(variant: string): string {
    return this.#urls[variant] ?? '';
  }

  async ask(question: Question): Promise<Used> {
    const answered = answerOf(this.#child);
    this.#child.send(question);
    return (await answered) as Used;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.send({ do: 'stop' } satisfies Question);
    await ended;
  }
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const exit = once(child, 'exit', ended).then(([code]) => {
    throw new Error(`the services ended with ${code}`);
  });
  try {
    const [answer] = await Promise.race([once(child, 'message', ended), exit]);
    return answer;
  } finally {
    ended.abort();
    exit.catch(() => undefined);
  }
}
