import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { withoutSecrets } from '../../src/cli/deployment/config.ts';
import { readConfig, readSettings } from '../../src/config.ts';
import { readConfigFile } from '../../src/settings/config-file.ts';
import type { Env } from '../../src/settings/setting-reader.ts';
import { problemsOf } from './config-problems.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'exchange-config-'));
const URI = 'mongodb://svc:pass-word@a.example,b.example/?replicaSet=rs&tlsCertificateKeyFilePassword=key-word';

afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(text: string, ending = 'yaml'): string {
  files += 1;
  const path = join(folder, `${files}.${ending}`);
  writeFileSync(path, text);
  return path;
}

const originOf = (env: Env, name: string) => readSettings(env).settings.find((each) => each.name === name)?.origin;

describe('CONFIG_FILE', () => {
  it('is YAML or JSON, with their own numbers and lists', () => {
    const settings = {
      PORT: 8080,
      EVENTS: 'off',
      CORS_ORIGINS: ['https://a.example', 'https://b.example'],
      HOST: null,
    };
    const yaml =
      'PORT: 8080\nEVENTS: off # no subscriptions\nCORS_ORIGINS:\n  - https://a.example\n  - https://b.example\nHOST:\n';
    const expected = { port: 8080, events: 'off', corsOrigins: settings.CORS_ORIGINS, host: '127.0.0.1' };
    expect(readConfig({ CONFIG_FILE: file(yaml) })).toMatchObject(expected);
    expect(readConfig({ CONFIG_FILE: file(JSON.stringify(settings, undefined, '\t'), 'json') })).toMatchObject(
      expected,
    );
    expect(readConfig({ CONFIG_FILE: file('WEBHOOK_RETRY_SECONDS: [0, 5]') }).webhooks.retrySeconds).toEqual([0, 5]);
    expect(readConfig({ CONFIG_FILE: file('') }).port).toBe(4000);
  });

  it('keeps numbers as written, however long, and expands exponents to digits', () => {
    const yaml =
      'JWT_AUDIENCE: 217843290123456789\nJWT_ISSUER: 0123\nMAX_BODY_BYTES: 3.3554432e+07\nCORS_ORIGINS: [1.10, 007]';
    expect(Object.fromEntries(readConfigFile(file(yaml)).texts)).toEqual({
      JWT_AUDIENCE: '217843290123456789',
      JWT_ISSUER: '0123',
      MAX_BODY_BYTES: '33554432',
      CORS_ORIGINS: '1.10,007',
    });
    const json = readConfigFile(file('{ "JWT_AUDIENCE": 217843290123456789, "PORT": 8080 }', 'json'));
    expect([...json.texts.values()]).toEqual(['217843290123456789', '8080']);
  });

  it('may use true and false for on and off, as programs that read YAML 1.1 write them', () => {
    const yaml = 'EVENTS: false\nGRAPHQL_JIT: true\nPERSISTED_OPERATIONS: false';
    const expected = { events: 'off', graphql: { jit: 'on', persistedOperations: 'off' } };
    expect(readConfig({ CONFIG_FILE: file(yaml) })).toMatchObject(expected);
    const CONFIG_FILE = file('{ "EVENTS": false, "PERSISTED_OPERATIONS": true, "LOG_LEVEL": false }', 'json');
    expect(readConfig({ CONFIG_FILE: file('{ "EVENTS": false }', 'json') }).events).toBe('off');
    expect(problemsOf({ CONFIG_FILE })).toEqual([
      expect.stringMatching(/^LOG_LEVEL="false" \(in /),
      expect.stringMatching(/^PERSISTED_OPERATIONS="true" \(in .* must be one of automatic, only, off\.$/),
    ]);
  });

  it('yields to the environment, whose empty values count as unset', () => {
    const CONFIG_FILE = file('PORT: 8080\nWORKERS: 3');
    expect(readConfig({ CONFIG_FILE, PORT: '81', WORKERS: '' })).toMatchObject({ port: 81, workers: 3 });
    expect([originOf({ CONFIG_FILE, PORT: '81' }, 'PORT'), originOf({ CONFIG_FILE }, 'WORKERS')]).toEqual([
      'environment',
      CONFIG_FILE,
    ]);
    expect(originOf({ CONFIG_FILE }, 'HOST')).toBe('default');
  });

  it.each([
    ['MONGODB_URL', 'MONGODB_URI'],
    ['port', 'PORT'],
    ['maxBodyBytes', 'MAX_BODY_BYTES'],
    ['session-ttl-seconds', 'SESSION_TTL_SECONDS'],
    ['GRAPHQL_MAX_DEPHT', 'GRAPHQL_MAX_DEPTH'],
    ['MONGODB_URL_FILE', 'MONGODB_URI'],
  ])('is refused for the name %s, suggesting the nearest setting', (wrong, right) => {
    const CONFIG_FILE = file(`${wrong}: x\nPORT: 8080`);
    expect(problemsOf({ CONFIG_FILE })).toEqual([
      `"${wrong}" in CONFIG_FILE=${CONFIG_FILE} is not a setting; the nearest one is ${right}.`,
    ]);
  });

  it('is named when one of its values is unusable, with every other problem', () => {
    const CONFIG_FILE = file('PORT: many\nWORKERS: 0\nHOTS: x');
    expect(problemsOf({ CONFIG_FILE, LOG_LEVEL: 'loud' })).toEqual([
      `PORT="many" (in ${CONFIG_FILE}) cannot be used: it must be a whole number from 0 to 65535.`,
      expect.stringMatching(/^LOG_LEVEL="loud" cannot be used/),
      expect.stringMatching(/^WORKERS="0" \(in /),
      expect.stringMatching(/^"HOTS" .* HOST\.$/),
    ]);
  });

  it.each([
    ['PORT: [1', 'it is neither YAML nor JSON'],
    ['PORT: 1\nPORT: 2', 'Map keys must be unique'],
    ['- PORT', 'it must map names to values'],
  ])('is refused as a whole: %j', (text, reason) => {
    const CONFIG_FILE = file(text);
    expect(problemsOf({ CONFIG_FILE })).toEqual([
      expect.stringContaining(`CONFIG_FILE=${JSON.stringify(CONFIG_FILE)} cannot be used: `),
    ]);
    expect(problemsOf({ CONFIG_FILE })[0]).toContain(reason);
  });

  it('is refused for a mapping as a value, with every other problem', () => {
    const CONFIG_FILE = file('PORT: { a: 1 }\nGRAPHQL: { MAX_DEPTH: 3 }\nWORKERS: yes\nCORS_ORIGINS: [1, x]');
    expect(problemsOf({ CONFIG_FILE, LOG_LEVEL: 'loud' })).toEqual([
      `CONFIG_FILE=${JSON.stringify(CONFIG_FILE)} cannot be used: a value must be text, a number, or a list of those: PORT, GRAPHQL.`,
      expect.stringMatching(/^LOG_LEVEL="loud" cannot be used/),
      expect.stringMatching(/^WORKERS="yes" \(in /),
      expect.stringMatching(/^CORS_ORIGINS="1,x" \(in /),
      expect.stringMatching(/^"GRAPHQL" in CONFIG_FILE=.* is not a setting/),
    ]);
  });

  it('must exist', () => {
    expect(problemsOf({ CONFIG_FILE: '/nowhere/config.yaml' })).toEqual([
      'CONFIG_FILE="/nowhere/config.yaml" cannot be used: it cannot be read (ENOENT).',
    ]);
  });
});

describe('a setting from its own file', () => {
  it('is read instead of the variable, without its trailing line break', () => {
    const MONGODB_URI_FILE = file(`${URI}\n`, 'txt');
    expect(readConfig({ MONGODB_URI_FILE })).toMatchObject({ mongodbUri: URI, environment: 'production' });
    expect(readConfig({ CONFIG_FILE: file(`MONGODB_URI_FILE: ${MONGODB_URI_FILE}`) }).mongodbUri).toBe(URI);
    expect(originOf({ MONGODB_URI_FILE }, 'MONGODB_URI')).toBe(MONGODB_URI_FILE);
    const CONFIG_FILE = file('MONGODB_URI: mongodb://other.example');
    expect(readConfig({ CONFIG_FILE, MONGODB_URI_FILE }).mongodbUri).toBe(URI);
  });

  it('is refused if missing, empty or given twice, without showing a password', () => {
    const MONGODB_URI_FILE = file(URI);
    expect(problemsOf({ MONGODB_URI_FILE: '/nowhere' })).toEqual([
      'MONGODB_URI_FILE="/nowhere" cannot be used: it cannot be read (ENOENT).',
    ]);
    expect(problemsOf({ MONGODB_URI_FILE: URI })).toEqual([
      'MONGODB_URI_FILE=(its value is not shown) cannot be used: it cannot be read (ENOENT).',
    ]);
    expect(problemsOf({ MONGODB_URI_FILE: file(' \n') })[0]).toContain('it is empty');
    expect(problemsOf({ MONGODB_URI_FILE, MONGODB_URI: URI })).toEqual([
      'MONGODB_URI and MONGODB_URI_FILE are both set (environment); set one of them.',
    ]);
    expect(problemsOf({ MONGODB_URI_FILE: file('postgres://svc:pass-word@a.example') }).join()).not.toContain(
      'pass-word',
    );
  });
});

describe('npm run cli -- config', () => {
  it('prints every setting in effect and its source, with passwords masked', async () => {
    const CONFIG_FILE = file('PORT: 8080\nOTEL_EXPORTER_OTLP_ENDPOINT: https://me:pass-word@traces.example');
    const env = { PATH: process.env.PATH, HOST: '::1', MONGODB_URI_FILE: file(URI), CONFIG_FILE };
    const cli = [join(root, 'src', 'cli', 'main.ts'), 'config'];
    const run = (...args: string[]) => promisify(execFile)(process.execPath, [...cli, ...args], { env });
    const [{ stdout }, json] = await Promise.all([run(), run('--json')]);
    expect(stdout).toMatch(/^PORT +8080 {2}\[.*\.yaml\]$/m);
    expect(stdout).toMatch(/^HOST +::1 {2}\[environment\]$/m);
    expect(stdout).toMatch(/^WORKERS +1 {2}\[default\]$/m);
    expect(stdout).toContain('mongodb://***@a.example,b.example/');
    expect(JSON.parse(json.stdout)).toContainEqual({ name: 'PORT', value: '8080', origin: CONFIG_FILE });
    for (const secret of ['pass-word', 'key-word', 'svc', 'me:']) expect(stdout + json.stdout).not.toContain(secret);
  });

  it.each(['mongodb://svc:pass-word@', 'mongodb://svc:pass@-word@a.example', 'mongodb://a.example:pass-word:1'])(
    'shows nothing of an unparsable address: %s',
    (uri) => expect(withoutSecrets('MONGODB_URI', uri)).not.toContain('word'),
  );
});

describe('starting with a wrong name in the file', () => {
  it('ends before anything is created', async () => {
    const DATA_DIR = join(folder, 'data');
    const CONFIG_FILE = file(`DATA_DIR: ${DATA_DIR}\nPROT: 8080`);
    const start = promisify(execFile)(process.execPath, [join(root, 'src', 'main.ts')], {
      env: { PATH: process.env.PATH, CONFIG_FILE },
    });
    await expect(start).rejects.toMatchObject({
      code: 1,
      stderr: `"PROT" in CONFIG_FILE=${CONFIG_FILE} is not a setting; the nearest one is PORT.\n`,
    });
    expect(existsSync(DATA_DIR)).toBe(false);
  });
});
