import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, vi } from 'vitest';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
// Vite sets a BASE_URL of its own.
const { BASE_URL: _url, MONGODB_URI: _uri, ...inherited } = process.env;

/** A gateway in its own process, with its embedded mongod. */
interface EmbeddingGateway {
  readonly child: ChildProcess;
  readonly url: string;
  readonly lines: readonly string[];
}

/** A folder per test, and a gateway with its data there; both are gone after it. */
export function embeddingGatewayFixture() {
  let folder: string;
  let running: ChildProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'exchange-restart-'));
  });
  afterEach(async () => {
    if (running?.exitCode === null && running.signalCode === null) {
      running.kill('SIGTERM');
      await once(running, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    /** The path of a file in the folder. */
    path: (...names: string[]): string => join(folder, ...names),
    mongodPid: (): number => Number(readFileSync(join(folder, 'data', 'db', 'mongod.lock'), 'utf8')),
    async start(settings: Readonly<Record<string, string>> = {}): Promise<EmbeddingGateway> {
      const env = { ...inherited, DATA_DIR: join(folder, 'data'), PORT: '0', ...settings };
      const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      running = child;
      const lines: string[] = [];
      createInterface(child.stdout).on('line', (line) => lines.push(line));
      const ready = () => /Ready: .* serves (http:\S+)/.exec(lines.join('\n'))?.[1];
      await vi.waitFor(() => expect(ready()).toBeDefined(), { timeout: 90_000 });
      return { child, url: ready() ?? '', lines };
    },
  };
}

/** Waits until a line of the gateway's log contains the text. */
export const says = ({ lines }: EmbeddingGateway, text: string): Promise<void> =>
  vi.waitFor(() => expect(lines.join('\n')).toContain(text), { timeout: 60_000 });
