import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { readConfig } from '../../src/config.ts';
import { serviceFixture } from '../service.ts';
import { expectWalkthrough, stepsOf } from './walkthrough.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reference-catalogs.md'), 'utf8');

const service = serviceFixture();

describe('docs/reference-catalogs.md', () => {
  it('shows every endpoint of the catalogs', () => {
    const shown = [...page.matchAll(/^\| `([A-Z]+ \/api[^`]+)` \|/gm)].map(([, route]) => route);
    const served = endpoints.filter(
      ({ family, id }) => family.name === 'reference' && !id.startsWith('reference.session'),
    );
    expect(shown.sort()).toEqual(served.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('shows what a shell following its examples prints, times and … aside', async () => {
    const steps = stepsOf(page);
    expect(steps.length).toBeGreaterThan(7);
    await expectWalkthrough(steps, { address: readConfig({}).baseUrl, url: service.url });
  });
});
