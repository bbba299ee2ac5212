import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { FORM } from '../../src/store/migrations/list.ts';
import { putForm0 } from '../fixtures/form-0.ts';
import { serviceFixture } from '../service.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const { BASE_URL: _vite, ...inherited } = process.env;

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (args: readonly string[], settings: Readonly<Record<string, string>>): Promise<Outcome> =>
  new Promise((resolve) => {
    const env = { ...inherited, LOG_LEVEL: 'info', ...settings };
    execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

describe('npm run cli -- migrate', () => {
  const mongo = new MongoClient(inject('mongoUri'));
  const database = `test_${newId().replaceAll('-', '')}`;
  const db = mongo.db(database);
  const forms = db.collection<{ _id: string; number: number }>('meta');
  const migrate = (...args: string[]) =>
    run(['migrate', ...args], { MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: database });

  beforeAll(() => putForm0(db));
  afterAll(async () => {
    await db.dropDatabase();
    await mongo.close();
  });

  it('brings an older database to the present form, even several at once, and each says so', async () => {
    const outcomes = await Promise.all([migrate(), migrate(), migrate('--again', '--after', '1'), migrate()]);
    for (const { code, stdout, stderr } of outcomes) {
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('the database has the stored form of this version');
    }
    expect(await forms.findOne({ _id: 'form' })).toMatchObject({ number: FORM });
  });

  it('creates no database where there is none', async () => {
    const DATA_DIR = join(tmpdir(), `exchange-none-${newId()}`);
    expect(await run(['migrate'], { DATA_DIR, MONGODB_URI: '' })).toEqual({
      code: 1,
      stdout: '',
      stderr: `There is no data in ${DATA_DIR}, and MONGODB_URI is not set. Set DATA_DIR to the folder that has it.\n`,
    });
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it('refuses unknown options, and a database of a newer version', async () => {
    const usage = '\n\nUsage:\nnpm run cli -- migrate [--again] [--after SECONDS]\n';
    expect(await migrate('--now')).toEqual({ code: 2, stdout: '', stderr: `Unknown option '--now'.${usage}` });
    expect(await migrate('--after', '-1')).toEqual({
      code: 2,
      stdout: '',
      stderr: `--after needs a value; one that begins with a dash is written --after=VALUE.${usage}`,
    });
    expect(await migrate('--after', '1', '--after', '2')).toEqual({
      code: 2,
      stdout: '',
      stderr: `--after was given more than once, and takes one value.${usage}`,
    });
    expect(await migrate('--after', 'soon')).toEqual({
      code: 2,
      stdout: '',
      stderr: `--after soon cannot be used: it is a number of seconds, 0 to 86400.${usage}`,
    });
    await forms.updateOne({ _id: 'form' }, { $set: { number: FORM + 1 } });
    const { code, stderr } = await migrate();
    expect([code, stderr]).toEqual([1, expect.stringContaining(`has stored form ${FORM + 1}`)]);
  });
});

describe('npm run cli -- probe', () => {
  const service = serviceFixture();
  const sick = createServer((_request, response) => {
    response.writeHead(503).end('{"status":"unavailable","reason":"The service is stopping."}');
  });
  beforeAll(async () => {
    sick.listen(0, '127.0.0.1');
    await once(sick, 'listening');
  });
  afterAll(() => void sick.close());

  it('exits with 0 if the service can serve, and with 1 if it cannot or is not there', async () => {
    const PORT = new URL(service.url).port;
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port: free } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const [ready, alive, unready, absent, unknown] = await Promise.all([
      run(['probe'], { PORT }),
      run(['probe', '--live'], { PORT, HOST: '0.0.0.0', DEMO_PUBLIC: '1' }),
      run(['probe'], { PORT: String((sick.address() as AddressInfo).port) }),
      run(['probe'], { PORT: String(free) }),
      run(['probe', '--deep'], { PORT }),
    ]);
    expect([ready, alive]).toEqual(Array(2).fill({ code: 0, stdout: '{"status":"ok"}\n', stderr: '' }));
    expect([unready.code, unready.stdout]).toEqual([1, expect.stringContaining('The service is stopping.')]);
    expect([absent.code, absent.stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`/readyz on port ${free}: .*ECONNREFUSED`)),
    ]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('probe [--live]')]);
  });
});
