import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const cli = (...args: string[]) => promisify(execFile)(process.execPath, ['src/cli/main.ts', ...args], { cwd: root });

describe('the help of the command line', () => {
  it("lists every command, and shows each one's usage without running it", async () => {
    const { stdout } = await cli('help');
    const names = [...stdout.matchAll(/^ {2}(\w+) +\S/gm)].map(([, name = '']) => name);
    expect(names).toEqual(expect.arrayContaining(['doctor', 'restore', 'rebuild', 'shard', 'check']));
    const shown = await Promise.all(names.map(async (name) => (await cli(name, '--help')).stdout));
    for (const [index, name] of names.entries()) {
      expect(shown[index]).toMatch(new RegExp(`^npm run cli( --silent)? -- ${name}\\b`));
      expect(shown[index], name).not.toContain('not expected');
    }
  });

  it('is shown for help and -h too, while "help" may be a name', async () => {
    const { stdout } = await cli('restore', '--help');
    expect(stdout).toBe('npm run cli -- restore FILE [--replace]\n\nrestores a backup into an empty database\n');
    expect((await cli('restore', 'help')).stdout).toBe(stdout);
    expect((await cli('restore', 'a-file', '-h')).stdout).toBe(stdout);
    await expect(cli('keys', 'rotate', 'help')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs the id of a key'),
    });
  });

  it('is an error with the list of commands if the command is unknown', async () => {
    await expect(cli('dcotor')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^There is no command "dcotor"\.\n\nUsage:\n.*\n {2}doctor /),
    });
  });
});
