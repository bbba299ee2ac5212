// May take 10 s: a browser opens.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PANELS } from '../../src/pages/dashboard.ts';
import { startTestService, type TestService } from '../service.ts';
import { openBrowser } from './browser.ts';

describe('the address of the service', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ env: { BASE_URL: 'http://127.0.0.1/exchange' } });
  });
  afterAll(() => service.stop());

  test.each([[undefined], ['application/json'], ['*/*']])(
    'answers an API client that accepts %s with links',
    async (accept) => {
      const answer = await service.ask('GET', '/', { headers: accept ? { accept } : {} });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect(answer.body.links).toMatchObject({
        openapi: '/exchange/openapi.json',
        graphql: '/exchange/graphql',
        health: '/exchange/bridge/v1/health',
      });
      expect(answer.headers.get('vary')).toContain('Accept');
    },
  );

  test('has working links only', async () => {
    const { links } = (await service.ask('GET', '/')).body;
    for (const [name, path] of Object.entries(links as Record<string, string>)) {
      const answer = await fetch(`${service.url}${path.replace('/exchange', '')}`, {
        headers: { accept: 'text/html, */*' },
      });
      expect([name, answer.status < 300 || answer.status === 401]).toEqual([name, true]);
    }
  });

  test('shows a browser what this is, the ways in, the demo keys and its health', async () => {
    await using here = await startTestService();
    const { page, faults, [Symbol.asyncDispose]: close } = await openBrowser(here.url);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(here.url);
      await page.locator('#health[data-state="up"]').waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    }
    expect(await page.locator('code', { hasText: 'demo-client-key' }).count()).toBe(1);
    const hrefs = await page.locator('.ways a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(hrefs).toEqual(['/docs', '/graphql', '/dashboard', '/openapi.json']);
    expect(await page.locator('.ways').innerText()).toContain(`${PANELS.length} questions of a cargo owner`);
    expect(faults).toEqual([]);
    await close();
  });

  test('offers no key in production', async () => {
    await using production = await startTestService({ env: { ENVIRONMENT: 'production' } });
    const html = await (await fetch(production.url, { headers: { accept: 'text/html' } })).text();
    expect(html).toContain('Inspection exchange');
    expect(html).not.toMatch(/demo-\w+-key|demo-password/);
  });
});
