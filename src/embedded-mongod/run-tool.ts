import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';

/** The environment variables of a tool, and the log of its output. */
interface ToolOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
}

/**
 * Runs a download tool to completion; if it fails, throws with the last line of its error output. On a terminal the tool
 * draws its own progress bar; elsewhere each line it prints is logged.
 */
export async function runTool(command: string, args: readonly string[], { env, log }: ToolOptions): Promise<void> {
  const output = process.stderr.isTTY ? 2 : 'pipe';
  const tool = spawn(command, args, { env, stdio: ['ignore', output, 'pipe'] });
  const complaint: string[] = [];
  if (tool.stdout) createInterface(tool.stdout).on('line', (line) => line.trim() && log(`  ${line.trim()}`));
  if (tool.stderr) createInterface(tool.stderr).on('line', (line) => line.trim() && complaint.push(line.trim()));
  const name = [basename(command), ...args.filter((arg) => !arg.startsWith('-')).slice(0, 1)].join(' ');
  const [code] = await once(tool, 'close').catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `there is no ${command} command` : error.message);
  });
  if (code !== 0) throw new Error(complaint.at(-1) ?? `${name} ended with code ${code}`);
}
