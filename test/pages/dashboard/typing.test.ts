// May take 15 s: a browser in which someone types while the page waits for the service.
import { expect, test } from 'vitest';
import { makeWorkspace, serviceFixture } from '../../service.ts';
import { openBrowser } from '../browser.ts';
import { loadDashboard, openDashboard, titleOf } from './open-dashboard.ts';

/** However busy the machine is. */
const SOON = { timeout: 60_000 };

const service = serviceFixture({ records: true, counts: true, audits: true });

async function addJob(workspace: string, refNumber: string): Promise<void> {
  const body = { refNumber, status: 'active' };
  expect((await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body })).status).toBe(201);
}

test('hours of laytime that are being typed stay when a change appears', async () => {
  const { id } = await makeWorkspace(service);
  await addJob(id, 'TY-1');
  await using browser = await openDashboard(service, `workspace=${id}`);
  const { page } = browser;
  await page.locator('.live[data-live=true]').waitFor();
  const hours = page.locator('input[name=laytime]');
  await hours.focus();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('4');
  await addJob(id, 'TY-2');
  await expect.poll(() => titleOf(page, 'jobs'), SOON).toContain('2 jobs');
  expect(await hours.inputValue()).toBe('4');
  await page.keyboard.type('8');
  await page.keyboard.press('Tab');
  expect(await hours.inputValue()).toBe('48');
  await expect.poll(() => new URL(page.url()).searchParams.get('laytime'), SOON).toBe('48');
  await hours.fill('');
  await page.keyboard.press('Tab');
  expect(await hours.inputValue()).toBe('36');
  expect(browser.faults).toEqual([]);
});

test('a job that is sought before the workspaces are known is found once they are', async () => {
  const { id } = await makeWorkspace(service);
  for (const refNumber of ['TY-1', 'TY-11']) await addJob(id, refNumber);
  await using browser = await openBrowser(service.url);
  const { page } = browser;
  const released = Promise.withResolvers<void>();
  await page.route('**/graphql', async (route) => {
    await released.promise;
    await route.fallback();
  });
  await loadDashboard(page, service, `workspace=${id}`);
  const reference = page.getByPlaceholder('Reference number');
  await reference.click();
  await page.keyboard.type('TY-1');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('search').locator('output').innerText(), SOON).toBe('Loading…');
  released.resolve();
  await page.locator('dialog.job #details[aria-busy=false] h2').waitFor();
  expect(await titleOf(page, 'details')).toMatch(/^TY-1: /);
  await page.keyboard.press('Escape');
  await page.locator('dialog.job').waitFor({ state: 'detached' });
  expect(await reference.inputValue()).toBe('TY-1');
  expect(await page.evaluate('document.activeElement.name')).toBe('reference');
  expect(browser.faults).toEqual([]);
});
