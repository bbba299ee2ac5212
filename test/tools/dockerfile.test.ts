import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Copy, DockerfileParser, type Instruction } from 'dockerfile-ast';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freePort } from '../../src/embedded-mongod/mongod.ts';
import { dropDatabase } from '../drop-database.ts';
import { installProduction } from './install-production.ts';

const root = join(import.meta.dirname, '..', '..');
const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
const instructions = DockerfileParser.parse(text).getInstructions();
const folder = mkdtempSync(join(tmpdir(), 'exchange-image-'));
const database = `test_image_${process.pid}`;

/** Without the variables npm sets for its scripts, which would lead it back to this folder. */
const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

interface Stage {
  readonly name: string;
  readonly image: string;
  readonly steps: readonly Instruction[];
}

const stages: readonly Stage[] = instructions.flatMap((step, index) => {
  if (step.getKeyword() !== 'FROM') return [];
  const [image = '', , name = 'final'] = step.getArguments().map(String);
  const end = instructions.findIndex((each, at) => at > index && each.getKeyword() === 'FROM');
  return [{ name, image, steps: instructions.slice(index + 1, end < 0 ? undefined : end) }];
});
const final = stages.at(-1) as Stage;
const values = (keyword: string, stage = final) =>
  stage.steps.filter((step) => step.getKeyword() === keyword).map((step) => step.getArgumentsContent() ?? '');

const flagsOf = (step: Instruction): readonly string[] => (step instanceof Copy ? step.getFlags().map(String) : []);

/** A command's JSON form, with this machine's Node in place of the image's. */
function command(content: string): readonly string[] {
  const [program, ...args] = JSON.parse(content.slice(content.indexOf('['))) as readonly string[];
  expect(program).toBe('/nodejs/bin/node');
  return args;
}

/** A build's context: files that are tracked or new, and not in .dockerignore. */
function context(): readonly string[] {
  const rules = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  const included = rules.flatMap((rule) => (rule.startsWith('!') ? [rule.slice(1)] : []));
  expect(rules).toContain('*');
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...included], {
    cwd: root,
    encoding: 'utf8',
  });
  return files.split('\n').filter((file) => file !== '' && existsSync(join(root, file)));
}

/** Runs a stage's steps in its own folder; packages are linked, not fetched. */
function carryOut(stage: Stage): void {
  let place = join(folder, stage.name);
  for (const step of stage.steps) {
    const content = step.getArgumentsContent() ?? '';
    const words = content.split(/\s+/);
    const from = flagsOf(step)
      .find((flag) => flag.startsWith('--from='))
      ?.slice('--from='.length);
    if (step.getKeyword() === 'WORKDIR') {
      place = join(folder, stage.name, content);
      mkdirSync(place, { recursive: true });
    } else if (step.getKeyword() === 'COPY') {
      const to = join(place, words.at(-1) ?? '');
      for (const source of words.slice(0, -1)) {
        if (from) cpSync(join(folder, from, source), to, { recursive: true, verbatimSymlinks: true });
        else
          for (const file of context())
            if (source === '.' || source === file) cpSync(join(root, file), join(place, file));
      }
    } else if (step.getKeyword() === 'RUN') {
      if (content === 'npm ci') symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
      else if (content === 'npm ci --omit=dev') installProduction(place);
      else
        expect([content, spawnSync('bash', ['-c', content], { cwd: place, env: plain }).status]).toEqual([content, 0]);
    }
  }
}

let service: ChildProcess | undefined;

afterAll(async () => {
  if (service && service.exitCode === null) {
    service.kill('SIGKILL');
    await once(service, 'exit');
  }
  const client = await MongoClient.connect(inject('mongoUri'));
  await dropDatabase(client.db(database));
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the Dockerfile', () => {
  it('ends with an image without a shell or tools, where nobody is root', () => {
    expect(stages.map(({ name }) => name)).toEqual(['build', 'packages', 'final']);
    expect(final.image).toMatch(/^gcr\.io\/distroless\/nodejs24-.*:nonroot$/);
    expect(values('RUN')).toEqual([]);
    expect(values('USER')).toEqual(['65532:65532']);
    expect(values('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(values('EXPOSE')).toEqual(['4000 9464']);
    expect(final.steps.flatMap(flagsOf)).toEqual(['--from=packages', '--from=build']); // root's: nobody can change them
    for (const { image } of stages) expect(image).toMatch(/:[\w.-]+$/);
  });

  it('builds only from what the service needs: no tests, documents, data or secrets', () => {
    const tops = new Set(context().map((file) => file.split('/')[0]));
    expect([...tops].sort()).toEqual(
      ['.npmrc', 'examples', 'package-lock.json', 'package.json', 'rest-compat', 'schema', 'scripts', 'src']
        .concat(['tsconfig.build.json', 'tsconfig.json', 'web'])
        .sort(),
    );
  });
});

describe("the Dockerfile's steps", () => {
  beforeAll(() => {
    for (const stage of stages) carryOut(stage);
  });

  it('produce a service that starts, is healthy, and stops with code 0', async () => {
    const app = join(folder, 'final', values('WORKDIR')[0] ?? '');
    const [port, entry, health] = [await freePort(), values('ENTRYPOINT')[0] ?? '', values('HEALTHCHECK')[0] ?? ''];
    const defaults = Object.fromEntries((values('ENV')[0] ?? '').split(' ').map((pair) => pair.split('=')));
    expect(defaults).toEqual({ NODE_ENV: 'production', ENVIRONMENT: 'production', HOST: '0.0.0.0' });
    const env = {
      PATH: process.env.PATH,
      ...defaults,
      PORT: String(port),
      METRICS_PORT: '0',
      MONGODB_DATABASE: database,
    };
    service = spawn(process.execPath, command(entry), {
      cwd: app,
      env: { ...env, MONGODB_URI: inject('mongoUri'), HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface(service.stdout as NodeJS.ReadableStream)) if (/^Ready: /.test(line)) break;
    service.stdout?.resume();
    const probe = () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, command(health), {
        cwd: app,
        env,
        encoding: 'utf8',
      });
      return [status, stdout + stderr];
    };
    expect(probe()).toEqual([0, expect.stringContaining('ok')]);
    const exited = once(service, 'exit');
    service.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(probe()).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
  });
});
