import { format } from 'node:util';
import { vi } from 'vitest';
import { type Command, invoke } from '../../src/cli/invocation.ts';

/** The output of a command, and its exit code. */
interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command of the command line with its arguments and environment. */
interface CommandLine {
  readonly command: Command;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs a command in this process, ten times as fast as in its own. It has the console and the environment to itself
 * meanwhile, so it is not for concurrent tests.
 */
export async function runCommand({ command, args, env }: CommandLine): Promise<Outcome> {
  const written = { stdout: '', stderr: '' };
  const writes =
    (stream: keyof typeof written) =>
    (...words: unknown[]) => {
      written[stream] += `${format(...words)}\n`;
    };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(writes('stdout')),
    vi.spyOn(console, 'error').mockImplementation(writes('stderr')),
  ];
  vi.stubEnv('BASE_URL', undefined); // Vite sets one of its own.
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    return { code: await invoke(command, args), ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}
