// May take 20 s: it compiles the service, and starts the demo with its own MongoDB.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMongod } from '../../src/embedded-mongod/binary.ts';
import { projectCacheDir } from '../../src/embedded-mongod/server.ts';
import { isRunning } from '../is-running.ts';
import { installProduction } from './install-production.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'exchange-packed-'));
const installed = join(folder, 'node_modules', 'inspection-exchange');
const run = promisify(execFile);

/** As in a terminal: without the variables npm sets for its scripts, and Vite's BASE_URL. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_.*|BASE_URL|NODE_ENV)$/i.test(name)),
);

let service: ChildProcess;
let url = '';

/** Packs, and installs the result with the production packages beside it, as npm does in an empty folder. */
beforeAll(async () => {
  const { stdout } = await run('npm', ['run', '--silent', 'package', '--', '--json', '--pack-destination', folder], {
    cwd: root,
    env,
  });
  const [{ filename, bin }] = [JSON.parse(stdout.slice(stdout.indexOf('['))) as readonly { filename: string }[]].map(
    ([packed]) => ({ filename: packed?.filename ?? '', bin: join(folder, 'node_modules', '.bin') }),
  ) as [{ filename: string; bin: string }];
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', installed]);
  installProduction(folder);
  const { bin: commands } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  mkdirSync(bin);
  for (const [name, path] of Object.entries(commands)) symlinkSync(join(installed, path), join(bin, name));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
});

afterAll(async () => {
  if (service?.exitCode === null && service.signalCode === null) {
    const exited = once(service, 'exit');
    service.kill('SIGTERM');
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
});

describe('the packed package', () => {
  it('contains compiled JavaScript, and no TypeScript sources, tests or tools', () => {
    const files = globSync('**/*', { cwd: installed });
    expect(files).toContain('dist/src/cli/bin.js');
    expect(files).toContain('dist/web/vendor/echarts/dist/echarts.common.min.js');
    expect(files).toContain('dist/web/vendor/echarts/LICENSE');
    expect(files.filter((file) => /\.ts$|^test|\.test\.|^bench|^\.|tsconfig/.test(file))).toEqual([]);
  });

  it('names its commands in messages as they are called there', () => {
    const code = (file: string) =>
      readFileSync(join(installed, file), 'utf8').replaceAll(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    const told = globSync('dist/src/**/*.js', { cwd: installed }).filter(
      (file) => !file.includes('/development/') && /npm (run|start|test)/.test(code(file)),
    );
    expect(told).toEqual(['dist/src/model/command-line.js']);
  });

  it('starts the demo in an empty folder with npx, with data in that folder', async () => {
    const { path } = await findMongod({ cacheDir: projectCacheDir, env: process.env, log: () => {} });
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const settings = { PORT: '0', METRICS_PORT: '0', MONGOD_BINARY: path, ...traces };
    let said = '';
    service = spawn('npx', ['--offline', 'inspection-exchange'], {
      cwd: folder,
      env: { ...env, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface(service.stdout as NodeJS.ReadableStream)) {
      said += `${line}\n`;
      url = /^Ready: .* serves (http:\S+)$/.exec(line)?.[1] ?? '';
      if (url !== '') break;
    }
    service.stdout?.on('data', (more) => {
      said += more;
    });
    const headers = { Authorization: 'Bearer demo-client-key' };
    expect(await (await fetch(`${url}/workspaces`, { headers })).json()).toHaveLength(3);
    expect(globSync('.data/embedded.json', { cwd: folder })).toHaveLength(1);
    // the tracing SDK is not among its packages
    await expect.poll(() => said).toContain('npm install @opentelemetry/sdk-node@0.301.0 adds it');
  });

  it.each(['/', '/dashboard', '/docs', '/graphql'])('serves the page %s with every file it names', async (path) => {
    const html = await (await fetch(url + path, { headers: { Accept: 'text/html' } })).text();
    const files = [...html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file);
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect([file, (await fetch(url + file)).status]).toEqual([file, 200]);
  });

  it('has all commands of the command line, except those that need the sources', async () => {
    const command = join(folder, 'node_modules', '.bin', 'inspection-exchange');
    const { port } = new URL(url);
    const probed = await run(process.execPath, [command, 'probe'], { cwd: folder, env: { ...env, PORT: port } });
    expect(JSON.parse(probed.stdout)).toEqual({ status: 'ok' });
    const unknown = run(process.execPath, [command, 'check'], { cwd: folder, env });
    await expect(unknown).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('npx inspection-exchange'),
    });
  });

  it('stops with its database when npx is stopped', async () => {
    const { pid } = JSON.parse(readFileSync(join(folder, '.data', 'gateway.lock'), 'utf8')) as { pid: number };
    service.kill('SIGTERM');
    await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false);
    expect(globSync('.data/gateway.lock', { cwd: folder })).toEqual([]);
  });
});
