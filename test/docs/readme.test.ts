import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type Service, startService } from '../../src/service.ts';
import { expectWalkthrough, linesOf, stepsOf } from './walkthrough.ts';

const root = join(import.meta.dirname, '..', '..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const readme = textOf('README.md');
const address = readConfig({}).baseUrl;

const steps = stepsOf(readme);

let service: Service;

beforeAll(async () => {
  const config = { ...readConfig({ MONGODB_DATABASE: `test_readme_${process.pid}` }), port: 0 };
  service = await startService({ config, uri: inject('mongoUri'), log: pino({ level: 'silent' }) });
});

afterAll(async () => {
  await service.stores.db.dropDatabase();
  await service.stop();
});

describe('the walkthrough of the README', () => {
  it('shows what a shell following it prints, ids and … aside', async () => {
    await expectWalkthrough(steps, { address, url: service.url });
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
