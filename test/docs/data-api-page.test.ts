import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { readConfig } from '../../src/config.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { serviceFixture } from '../service.ts';
import { expectWalkthrough, stepsOf } from './walkthrough.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'data-api.md'), 'utf8');
const steps = stepsOf(page);

const service = serviceFixture();

/** The page is followed on the demo, whose jobs appear in its lists. */
beforeAll(() => seedDemo(service.stores));

describe('docs/data-api.md', () => {
  it('lists every endpoint of the Data API', () => {
    const routes = [...page.matchAll(/^\| `([A-Z]+ \/bridge[^`]*)`/gm)].map(([, route]) => route);
    const present = endpoints.filter(({ family }) => family.name === 'bridge');
    expect(routes.sort()).toEqual(present.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('shows what a shell following its examples prints, ids and … aside', async () => {
    expect(steps.length).toBeGreaterThan(7);
    await expectWalkthrough(steps, { address: readConfig({}).baseUrl, url: service.url });
  });
});
