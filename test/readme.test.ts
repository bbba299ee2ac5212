import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { type Service, startService } from '../src/service.ts';

const root = join(import.meta.dirname, '..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const readme = textOf('README.md');
const address = readConfig({}).baseUrl;

interface Step {
  readonly commands: string;
  /** The lines that the README shows below the commands; … stands for any text. */
  readonly shown: readonly string[];
}

const steps: readonly Step[] = [...readme.matchAll(/^```sh\n([\s\S]*?)^```\n(?:```json\n([\s\S]*?)^```\n)?/gm)].map(
  ([, commands = '', shown = '']) => ({ commands, shown: linesOf(shown) }),
);

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const MARK = '=== next step ===';

let service: Service;

beforeAll(async () => {
  const config = { ...readConfig({ MONGODB_DATABASE: `test_readme_${process.pid}` }), port: 0 };
  service = await startService({ config, uri: inject('mongoUri'), log: pino({ level: 'silent' }) });
});

afterAll(async () => {
  await service.stores.db.dropDatabase();
  await service.stop();
});

describe('the tour of the README', () => {
  it('shows what a shell prints that follows it, ids and … aside', async () => {
    const script = steps.map(({ commands }) => `${commands}echo '${MARK}'\n`).join('');
    const here = script.replace(`api=${address}`, `api=${service.url}`);
    expect(here).not.toContain(address);
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', here]);
    const printed = stdout.split(`${MARK}\n`).map(linesOf);
    expect(stderr).toBe('');
    const ids = new Map<string, string>();
    for (const [index, { commands, shown }] of steps.entries()) {
      const lines = printed[index] ?? [];
      expect(lines.length, commands).toBe(shown.length);
      for (const [at, line] of shown.entries()) expectAlike(lines[at] ?? '', line, ids);
    }
  });

  it('has steps of both kinds', () => {
    expect(steps.length).toBeGreaterThan(6);
    expect(steps.flatMap(({ shown }) => shown).length).toBeGreaterThan(6);
  });
});

describe('the README', () => {
  it('has fewer than 150 lines', () => {
    expect(linesOf(readme).length).toBeLessThan(150);
  });

  it('maps every folder', () => {
    const map = readme.slice(readme.indexOf('## Where things are'));
    const named = [...map.matchAll(/`([\w/-]+\/)`/g)].map(([, folder = '']) => folder);
    expect(named.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
    for (const folder of ['rest-compat/', 'schema/', 'src/', 'test/', 'bench/', 'docs/', 'web/', 'scripts/']) {
      expect(
        named.some((one) => one.startsWith(folder)),
        folder,
      ).toBe(true);
    }
  });
});

/** The printed line is the shown one; an id of the README stands for the same id wherever it stands. */
function expectAlike(printed: string, shown: string, ids: Map<string, string>): void {
  const parts = shown.split(new RegExp(`(…|${UUID.source})`));
  const pattern = parts.map((part) => {
    if (part === '…') return '.*?';
    return UUID.test(part) ? `(${UUID.source})` : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  });
  expect(printed).toMatch(new RegExp(`^${pattern.join('')}$`));
  const found = new RegExp(`^${pattern.join('')}$`).exec(printed) ?? [];
  for (const [index, id] of parts.filter((part) => UUID.test(part)).entries()) {
    const actual = found[index + 1] ?? '';
    expect(actual, id).toBe(ids.get(id) ?? actual);
    ids.set(id, actual);
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
