import { expect, test } from 'vitest';
import { startTestService } from '../../service.ts';
import { openBrowser } from '../browser.ts';

const SOON = { timeout: 60_000 };

test('in production the dashboard is a page without a key, and loads little', async () => {
  await using service = await startTestService({ env: { ENVIRONMENT: 'production' } });
  await using browser = await openBrowser(service.url);
  const { page } = browser;
  let bytes = 0;
  page.on('response', async (response) => {
    const { responseBodySize } = await response.request().sizes();
    bytes += responseBodySize;
  });
  await page.goto(`${service.url}/dashboard`);
  await expect.poll(() => page.locator('.live').innerText(), SOON).toContain('Enter an API key');
  expect(await page.content()).not.toMatch(/demo-\w+-key/);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(400_000);
});
