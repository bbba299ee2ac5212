import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

type Packages = Record<string, { version?: string; optional?: boolean }>;
const scripts = join(import.meta.dirname, '..', '..', 'scripts');
const { isGoodNode, missingPackages } = (await import(join(scripts, 'ready.mjs'))) as {
  isGoodNode(version: string): boolean;
  missingPackages(wanted: Packages, installed: Packages): string[];
};

describe('the Node version check', () => {
  test('compares the major version', () => {
    expect(['18.20.0', '20.20.2', '22.21.0', '23.11.1'].some(isGoodNode)).toBe(false);
    expect(['24.0.0', '24.21.0', '26.1.0', '100.0.0'].every(isGoodNode)).toBe(true);
  });
});

describe('what has to be installed', () => {
  const wanted = {
    '': { version: '0.1.0' },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/a/node_modules/@b/c': { version: '2.0.0' },
    'node_modules/d-for-another-system': { version: '3.0.0', optional: true },
  };

  test('is everything on a fresh clone, and nothing when versions match', () => {
    expect(missingPackages(wanted, {})).toEqual(['a', '@b/c']);
    expect(missingPackages(wanted, wanted)).toEqual([]);
  });

  test('is a package whose locked version changed; packages for other systems are not missed', () => {
    const { 'node_modules/d-for-another-system': _, ...installed } = wanted;
    expect(missingPackages(wanted, { ...installed, 'node_modules/a': { version: '0.9.0' } })).toEqual(['a']);
    expect(missingPackages(wanted, installed)).toEqual([]);
  });
});

describe('scripts/run.mjs', () => {
  let project: string;
  const at = (name: string): string => join(project, name);

  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'exchange-run-'));
    cpSync(scripts, at('scripts'), { recursive: true });
    file('package.json', '{ "private": true, "type": "module" }');
    file('package-lock.json', '{ "lockfileVersion": 3, "packages": { "": {} } }');
  });

  afterEach(() => rmSync(project, { recursive: true, force: true }));

  test('runs a TypeScript file with its arguments, adds no output, and exits with its code', () => {
    file('hello.ts', 'const words: string[] = process.argv.slice(2); console.log(words.join(" "));');
    expect(
      execFileSync(process.execPath, [at('scripts/run.mjs'), at('hello.ts'), 'a', '--b'], { encoding: 'utf8' }),
    ).toBe('a --b\n');
    file('fail.ts', 'process.exitCode = 7;');
    expect(() => execFileSync(process.execPath, [at('scripts/run.mjs'), at('fail.ts')], { stdio: 'pipe' })).toThrow(
      expect.objectContaining({ status: 7 }),
    );
  });

  test('caches compiled sources, also for the processes the program starts', () => {
    file('shop.ts', 'console.log(String(process.env.NODE_COMPILE_CACHE));');
    const { NODE_COMPILE_CACHE: _cache, ...env } = process.env;
    // Set by `npm run coverage`; Node would pass it on, and caches nothing with it.
    Object.assign(env, { NODE_DISABLE_COMPILE_CACHE: undefined, NODE_V8_COVERAGE: undefined });
    const run = () => execFileSync(process.execPath, [at('scripts/run.mjs'), at('shop.ts')], { env, encoding: 'utf8' });
    expect([run(), run()]).toEqual([`${at('.cache/compiled')}\n`, `${at('.cache/compiled')}\n`]);
    expect(readdirSync(at('.cache/compiled'))).toHaveLength(1);
  });

  test("is the program's own process, so signals need no forwarding", async () => {
    file(
      'wait.ts',
      'setInterval(() => {}, 1000); process.once("SIGTERM", () => process.exit(5)); console.log(process.pid);',
    );
    const child = spawn(process.execPath, [at('scripts/run.mjs'), at('wait.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = await once(child.stdout, 'data');
    expect(Number(pid)).toBe(child.pid);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([5, null]);
  });

  test('lets npm start end with the exit code of the service, once it has stopped', async () => {
    const { scripts: ours } = JSON.parse(readFileSync(join(scripts, '..', 'package.json'), 'utf8'));
    file('package.json', JSON.stringify({ private: true, type: 'module', scripts: { start: ours.start } }));
    file(
      'src/main.ts',
      `const running = setInterval(() => {}, 1000);
      process.once('SIGTERM', () => setTimeout(() => { console.log('stopped'); clearInterval(running); }, 1000));
      console.log('ready');`,
    );
    const child = spawn('npm', ['start', '--silent'], { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = await once(child.stdout, 'data');
    expect(String(said)).toBe('ready\n');
    const rest = text(child.stdout);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await rest).toBe('stopped\n');
  });

  test('says which package is missing and why npm could not install it', () => {
    file(
      'package-lock.json',
      '{ "lockfileVersion": 3, "packages": { "": {}, "node_modules/x": { "version": "1.0.0" } } }',
    );
    file('npm-cli.js', 'console.error("no network today"); process.exit(1);');
    file('package.json', '{ "private": true }');
    const env = { ...process.env, npm_execpath: at('npm-cli.js') };
    const run = () => execFileSync(process.execPath, [at('scripts/run.mjs'), at('hello.ts')], { env, stdio: 'pipe' });
    expect(run).toThrow(
      /Installing the npm packages \(once\): failed after \d+ s\nno network today\n.*npm-cli.js ci .* ended with code 1/,
    );
  });

  test('does not install through a link, which would delete the packages of another folder; uses those that fit', () => {
    const lock = '{ "lockfileVersion": 3, "packages": { "": {}, "node_modules/x": { "version": "1.0.0" } } }';
    file('package-lock.json', lock);
    file('hello.ts', 'console.log("hello");');
    file('npm-cli.js', 'import { rmSync } from "node:fs"; rmSync("node_modules/y.js");');
    file('other/node_modules/y.js', '');
    symlinkSync(at('other/node_modules'), at('node_modules'));
    const env = { ...process.env, npm_execpath: at('npm-cli.js') };
    const run = () => spawnSync(process.execPath, [at('scripts/run.mjs'), at('hello.ts')], { env, encoding: 'utf8' });
    const { status, stdout, stderr } = run();
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: `The npm packages were not installed (x is not as package-lock.json asks): node_modules is a link, and npm would delete the packages of the folder that it leads to. Remove the link, or install the packages in that folder.\n`,
    });
    expect(readdirSync(at('other/node_modules'))).toEqual(['y.js']);
    file('other/node_modules/.package-lock.json', lock);
    expect(run()).toMatchObject({ status: 0, stdout: 'hello\n' });
  });

  test('refuses a Node without the pinned SHA-256, and keeps nothing of it', () => {
    const name = `node-${process.platform}-${process.arch}`;
    file(
      'npm-cli.js',
      `import { mkdirSync, writeFileSync } from 'node:fs';
      mkdirSync('node_modules/${name}/bin', { recursive: true });
      writeFileSync('node_modules/${name}/bin/node', '#!/bin/sh\\necho owned\\n', { mode: 0o755 });`,
    );
    const fetching = `import('${at('scripts/ready.mjs')}').then(({ fetchNode }) => fetchNode('${project}'))`;
    const env = { ...process.env, npm_execpath: at('npm-cli.js') };
    expect(() => execFileSync(process.execPath, ['-e', fetching], { env, stdio: 'pipe' })).toThrow(
      /The program of node-.*@24\.21\.0 is not what it should be, and is not used: its SHA-256 is [\da-f]{64}, and [\da-f]{64} is pinned in the source[\s\S]*Install Node 24 or later by hand/,
    );
    expect(readdirSync(at('.cache/node'))).toEqual([]);
  });

  describe('when two start at once on a fresh clone', () => {
    const npmRuns = (): string[] => readFileSync(at('npm-runs'), 'utf8').trim().split('\n');
    const run = () => {
      const env = { ...process.env, npm_execpath: at('npm-cli.js') };
      const child = spawn(process.execPath, [at('scripts/run.mjs'), at('hello.ts')], { env });
      const said = { stdout: '', stderr: '' };
      child.stdout.on('data', (chunk) => (said.stdout += chunk));
      child.stderr.on('data', (chunk) => (said.stderr += chunk));
      return { child, said, closed: once(child, 'close') };
    };

    beforeEach(() => {
      const lock = '{ "lockfileVersion": 3, "packages": { "": {}, "node_modules/x": { "version": "1.0.0" } } }';
      file('package-lock.json', lock);
      file('hello.ts', 'console.log("hello");');
      file(
        'npm-cli.js',
        `import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
        appendFileSync(${JSON.stringify(at('npm-runs'))}, process.pid + '\\n');
        const installing = setInterval(() => {
          if (!existsSync(${JSON.stringify(at('may-end'))})) return;
          mkdirSync('node_modules', { recursive: true });
          writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(lock)});
          clearInterval(installing);
        }, 50);`,
      );
    });

    test('the second waits for the first to install the packages, says so, and continues with them', async () => {
      const first = run();
      await expect.poll(() => existsSync(at('npm-runs'))).toBe(true);
      const second = run();
      await expect.poll(() => second.said.stderr).toContain('Waiting');
      file('may-end', '');
      expect(await Promise.all([first.closed, second.closed])).toEqual([
        [0, null],
        [0, null],
      ]);
      expect(npmRuns()).toHaveLength(1);
      expect([first.said.stdout, second.said.stdout]).toEqual(['hello\n', 'hello\n']);
      expect(second.said.stderr).toBe(
        `Waiting for another start (process ${first.child.pid}) that fetches what is missing here …\n`,
      );
      expect(readdirSync(at('.cache')).filter((name) => name.includes('lock'))).toEqual([]);
    });

    test('the second waits for the npm of a first one that was killed, unless its npm was killed too', async () => {
      const first = run();
      await expect.poll(() => existsSync(at('npm-runs'))).toBe(true);
      first.child.kill('SIGKILL');
      const second = run();
      await expect.poll(() => second.said.stderr).toContain('Waiting');
      file('may-end', '');
      expect(await second.closed).toEqual([0, null]);
      expect(npmRuns()).toHaveLength(1);
      expect(second.said.stderr).toContain(`Waiting for another start (process ${first.child.pid})`);

      rmSync(at('node_modules'), { recursive: true });
      rmSync(at('may-end'));
      const third = run();
      await expect.poll(() => npmRuns().length).toBe(2);
      third.child.kill('SIGKILL');
      process.kill(Number(npmRuns()[1]), 'SIGKILL');
      await third.closed;
      file('may-end', '');
      const fourth = run();
      expect(await fourth.closed).toEqual([0, null]);
      expect(npmRuns()).toHaveLength(3);
      expect(fourth.said.stderr).not.toContain('Waiting');
    });
  });

  function file(name: string, content: string): void {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  }
});
