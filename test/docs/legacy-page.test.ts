import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { readConfig } from '../../src/config.ts';
import { serviceFixture } from '../service.ts';
import { expectWalkthrough, stepsOf } from './walkthrough.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'legacy.md'), 'utf8');
const steps = stepsOf(page);
const routesOf = (family: string) =>
  endpoints.filter((each) => each.family.name === family).map(({ method, path }) => `${method} ${path}`);

const service = serviceFixture();

describe('docs/legacy.md', () => {
  const rows = [...page.matchAll(/^\| (`[A-Z]+ \/workspaces.*`) \| (.*) \|$/gm)];
  const routesIn = (cell = '') => [...cell.matchAll(/`([A-Z]+ [^`?]+)[^`]*`/g)].map(([, route = '']) => route);

  it('shows every legacy endpoint beside its v2 counterparts', () => {
    expect(rows.flatMap(([, old]) => routesIn(old)).sort()).toEqual(routesOf('legacy').sort());
    const present = routesOf('v2');
    for (const [, old, now] of rows) {
      expect(routesIn(now), old).not.toEqual([]);
      expect(routesIn(now).filter((route) => !present.includes(route))).toEqual([]);
    }
  });

  it('shows what a shell following its examples prints, ids and … aside', async () => {
    expect(steps.length).toBeGreaterThan(15);
    await expectWalkthrough(steps, { address: readConfig({}).baseUrl, url: service.url });
  });

  it('has several examples of every method, in both families', () => {
    const commands = steps.flatMap(({ commands }) => commands.split('\n'));
    for (const family of ['legacy', 'v2']) {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
        expect(commands.filter((line) => line.includes(`${family} ${method} `)).length).toBeGreaterThan(3);
      }
    }
  });
});
