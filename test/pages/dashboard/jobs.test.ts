// May take 15 s: a browser over jobs of every kind.
import { beforeAll, describe, expect, test } from 'vitest';
import { CALLERS, makeWorkspace, serviceFixture } from '../../service.ts';
import type { Browser } from '../browser.ts';
import { cells, openDashboard, titleOf } from './open-dashboard.ts';

const service = serviceFixture({ records: true, counts: true, audits: true });
let workspace: string;

const addJob = async (body: object): Promise<void> => {
  const { status } = await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body });
  expect(status).toBe(201);
};

async function open(query = '', of = workspace): Promise<Browser> {
  const browser = await openDashboard(service, `workspace=${of}${query}`);
  expect(browser.faults).toEqual([]);
  return browser;
}

beforeAll(async () => {
  workspace = (await makeWorkspace(service)).id;
  await addJob({ refNumber: 'LATE', status: 'pending', eta: '2024-02-01', etc: '2024-03-15T23:30:00-05:00' });
  await addJob({ refNumber: 'NONE', eta: '2024-02-01', etc: '2024-02-02T12:00:00Z' });
  await addJob({ refNumber: 'DONE', status: 'complete', eta: '2024-02-01', etc: '2024-02-02' });
});

describe('the jobs panel', () => {
  test('counts jobs without a status, including overdue ones', async () => {
    await using browser = await open();
    const { page } = browser;
    expect(await titleOf(page, 'jobs')).toBe('2 of 3 jobs should be complete and are not');
    expect(await page.locator('#jobs .note').innerText()).toBe(
      'Pending: 1 · Active: 0 · Complete: 1 · Cancelled: 0 · No status: 1',
    );
    expect(await cells(page, 'late', 1)).toEqual(['NONE', 'LATE']);
    expect(await cells(page, 'late', 2)).toEqual(['no status', 'pending']);
    expect(await cells(page, 'late', 5)).toEqual(['2024-02-02', '2024-03-16']); // in UTC, like the filters
    expect(await titleOf(page, 'audit')).toContain('of 3 jobs');
  });

  test('counts jobs with a custom status, including overdue ones', async () => {
    const { id, names } = await makeWorkspace(service);
    await service.graphql(`mutation { acceptWorkspace(id: "${id}") { id } }`, {}, 'vendor');
    for (const status of ['OPEN', 'COMPLETE']) {
      const parties = { client: { name: names.client }, vendor: { name: names.vendor } };
      const body = { refNumber: `A-${status}`, status, activity: 'LOAD', etc: '2024-03-01T00:00:00Z', ...parties };
      const { body: job } = await service.ask('POST', '/bridge/v1/data/jobs', { as: 'client', body });
      expect(job.meta.workspace).toBe(id);
    }
    await using browser = await open('', id);
    const { page } = browser;
    expect(await titleOf(page, 'jobs')).toBe('2 of 2 jobs should be complete and are not');
    expect(await page.locator('#jobs .note').innerText()).toBe(
      'Pending: 0 · Active: 0 · Complete: 0 · Cancelled: 0 · Other: 2',
    );
    expect((await cells(page, 'late', 2)).toSorted()).toEqual(['COMPLETE', 'OPEN']);
    expect((await cells(page, 'late-by-week', 2)).map(Number).reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(await titleOf(page, 'audit')).toContain('of 2 jobs');
  });

  test('judges what is overdue by the present, even for a past period', async () => {
    await using browser = await open('&to=2024-02-28');
    const { page } = browser;
    expect(await titleOf(page, 'jobs')).toBe('2 of 3 jobs should be complete and are not');
    const late = (await cells(page, 'late-by-week', 2)).map(Number);
    expect(late.at(-1)).toBe(1); // after the weeks of the period
    expect(late.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(await page.locator('#jobs .chart').last().getAttribute('aria-label')).toContain('Later: 1');
  });
});

/** A dashboard whose job OUT was opened from the job IN, and what has the title of the job that is shown. */
async function openVoyage() {
  const { id } = await makeWorkspace(service);
  const add = async (body: object): Promise<void> => {
    const voyage = { status: 'complete', tripNumber: 'T1', transports: [{ name: 'Silver Petrel' }] };
    const made = await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: { ...voyage, ...body } });
    expect(made.status, made.text).toBe(201);
  };
  await add({ refNumber: 'OUT', activity: 'load', etc: '2024-02-02', eta: '2024-02-01' });
  await add({ refNumber: 'IN', activity: 'discharge', etc: '2024-02-12', eta: '2024-02-11' });
  const browser = await open('', id);
  const { page } = browser;
  const details = page.locator('dialog.job #details h2');
  await page.locator('#voyages summary').click();
  const row = page.locator('#table-voyages .link', { hasText: 'IN' });
  await row.focus();
  await page.keyboard.press('Enter');
  await details.getByText('IN').waitFor();
  await page.locator('#details summary').click();
  await page.locator('#table-calls-of-voyage .link', { hasText: 'OUT' }).click();
  await details.getByText('OUT').waitFor();
  const isFocused = () => row.evaluate((one) => one === one.ownerDocument.activeElement);
  return { browser, details, isFocused };
}

test('after opening jobs from each other, Escape returns to where the first was opened, and Back leaves the dashboard', async () => {
  const { browser: opened, details, isFocused } = await openVoyage();
  await using browser = opened;
  await browser.page.keyboard.press('Escape');
  await details.waitFor({ state: 'detached' });
  await expect.poll(isFocused, { timeout: 20_000 }).toBe(true);
  expect(new URL(browser.page.url()).searchParams.has('job')).toBe(false);
  expect(browser.faults).toEqual([]);
  await browser.page.goBack();
  expect(browser.page.url()).toBe('about:blank');
});

test('Back closes a job, or returns to the one that it was opened from, and Forward opens it again', async () => {
  const { browser: opened, details, isFocused } = await openVoyage();
  await using browser = opened;
  await browser.page.goBack();
  await details.getByText('IN').waitFor();
  await browser.page.goBack();
  await details.waitFor({ state: 'detached' });
  await expect.poll(isFocused, { timeout: 20_000 }).toBe(true);
  await browser.page.goForward();
  await details.getByText('IN').waitFor();
  await browser.page.locator('dialog.job').getByRole('button', { name: 'Close' }).click();
  await details.waitFor({ state: 'detached' });
  expect(new URL(browser.page.url()).searchParams.has('job')).toBe(false);
  expect(browser.faults).toEqual([]);
});

test("GraphiQL opens with the dashboard's key", async () => {
  await using browser = await open();
  const { page, context } = browser;
  await page.locator('#key').fill(CALLERS.vendor);
  await page.locator('#key').press('Enter');
  await page.locator('#jobs[aria-busy=false] .more a').waitFor();
  const opened = context.waitForEvent('page');
  await page.locator('#jobs .more a').click();
  const key = (await opened).locator('#key');
  await expect.poll(() => key.inputValue(), { timeout: 20_000 }).toBe(CALLERS.vendor);
});
