// May take 15 s: a browser that finds, reads, saves and prints a job.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filePart, formOf, sendForm } from '../../rest-compat/form.ts';
import { makeWorkspace, serviceFixture } from '../../service.ts';
import type { Browser } from '../browser.ts';
import { openDashboard, panelsAnswered, plain, titleOf } from './open-dashboard.ts';

const NAMED = 'Baltic <b>Sea</b>';
const NAME = '<b>Certificate<b>.html';
const CONTENTS = '<script>alert("opened")</script>';
const LONG = 'T'.repeat(2_000);

const service = serviceFixture({ records: true, counts: true, audits: true });
let workspace: string;
let browser: Browser;
let page: Page;
let job: string;
let file: string;

const addJob = async (refNumber: string): Promise<string> => {
  const body = { refNumber, status: 'active', transports: [{ name: 'Silver Petrel' }] };
  const made = await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body });
  expect(made.status).toBe(201);
  return made.body.id;
};

/** Opens the job afresh, with its figures. */
async function openJob(): Promise<void> {
  await page.goto(`${service.url}/dashboard?workspace=${workspace}&job=${job}`);
  await page.locator('dialog.job #details[aria-busy=false] summary').click();
  await page.locator('dialog.job #timeline[aria-busy=false] h2').waitFor();
}

beforeAll(async () => {
  workspace = (await makeWorkspace(service, NAMED)).id;
  job = await addJob('KST-1');
  for (const refNumber of ['KST-10', 'KST-11', 'OTHER']) await addJob(refNumber);
  const quality = { test: { name: LONG }, result: '0.5' };
  await service.ask('POST', `/workspaces/${workspace}/jobs/${job}/quality`, { as: 'client', body: quality });
  const form = formOf(filePart(CONTENTS, { disposition: `filename="${NAME}"`, type: 'text/html' }));
  const sent = await sendForm(service, `/workspaces/${workspace}/jobs/${job}/files`, form);
  expect(sent.status).toBe(201);
  file = sent.body.id;
  browser = await openDashboard(service, `workspace=${workspace}`);
  page = browser.page;
});
afterAll(() => browser[Symbol.asyncDispose]());

describe('a job is found by its reference number', () => {
  const find = async (text: string): Promise<void> => {
    await page.goto(`${service.url}/dashboard?workspace=${workspace}`);
    await panelsAnswered(page);
    await page.getByPlaceholder('Reference number').fill(text);
    await page.keyboard.press('Enter');
  };
  const said = (): Promise<string> => page.getByRole('search').locator('output').innerText();

  test.each([
    ['whole, although others contain it', 'KST-1', 'KST-1'],
    ['by a part that no other has, in any letter case', ' ther ', 'OTHER'],
  ])('%s', async (_, text, refNumber) => {
    await find(text);
    await page.locator('dialog.job #details[aria-busy=false] h2').waitFor();
    expect(await titleOf(page, 'details')).toMatch(new RegExp(`^${refNumber}: `));
    await page.keyboard.press('Escape');
    await page.locator('dialog.job').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.name')).toBe('reference');
  });

  test('by a part that several have, which are listed', async () => {
    await find('kst-');
    await page.getByRole('button', { name: 'KST-11' }).click();
    await page.locator('dialog.job #details[aria-busy=false] h2').waitFor();
    expect(await titleOf(page, 'details')).toMatch(/^KST-11: /);
    await page.keyboard.press('Escape');
    const listed = await page.getByRole('search').getByRole('listitem').allInnerTexts();
    expect(listed.map(plain)).toEqual(['KST-11', 'KST-10', 'KST-1'].map((name) => `${name} Silver Petrel · active`));
  });

  test('unless there is none, which the page says', async () => {
    await find('<b>none</b>');
    await expect
      .poll(async () => plain(await said()))
      .toBe('No job of this workspace has “<b>none</b>” in its reference number.');
    expect(browser.faults).toEqual([]);
  });
});

describe('a file of a job', () => {
  test('is downloaded under its name, and never opened', async () => {
    await openJob();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: NAME }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/Certificate.*\.html$/);
    expect(await readFile(await download.path(), 'utf8')).toBe(CONTENTS);
    expect(page.url()).toContain('/dashboard?');
    expect(browser.faults).toEqual([]);
  });

  test.each([
    [401, '{"code": "UNAUTHENTICATED"}', 'The service refuses this API key. Enter another one above, or sign in.'],
    [502, '<h1>Bad Gateway</h1>', 'The file cannot be downloaded just now (502); try again.'],
  ])('that cannot be downloaded (%i) says what to do', async (status, body, said) => {
    await openJob();
    await page.route('**/content', (route) => route.fulfill({ status, body }));
    await page.getByRole('button', { name: NAME }).click();
    expect(plain(await page.locator('#table-files [role=alert]').innerText())).toBe(said);
    await page.unrouteAll();
  });

  test('that was deleted meanwhile is reported beside it', async () => {
    await openJob();
    await page.route('**/graphql', (route) => route.abort()); // the page does not hear of it
    const deleted = await service.ask('DELETE', `/workspaces/${workspace}/jobs/${job}/files/${file}`, { as: 'client' });
    expect(deleted.status).toBe(200);
    await page.getByRole('button', { name: NAME }).click();
    const fault = page.locator('#table-files [role=alert]');
    await fault.waitFor();
    expect(plain(await fault.innerText())).toContain(file);
    await page.unrouteAll();
  });
});

test('a long text in a table takes several lines, and no more width than the window', async () => {
  await openJob();
  const cell = page.locator('#table-quality td').first();
  expect(await cell.innerText()).toBe(LONG);
  expect((await cell.boundingBox())?.width).toBeLessThan(600);
});

test('an open job is printed whole, with the figures that are open, and without the dashboard behind it', async () => {
  await openJob();
  await page.setViewportSize({ width: 1000, height: 300 });
  await page.emulateMedia({ media: 'print' });
  const outside = await page.evaluate(`
    const { offsetTop, scrollHeight, clientHeight } = document.querySelector('dialog.job');
    [offsetTop, scrollHeight - clientHeight];
  `);
  expect(outside).toEqual([0, 0]);
  expect(await page.locator('#table-quality').isVisible()).toBe(true);
  expect(await page.locator('.panels').isVisible()).toBe(false);
  await page.evaluate('document.querySelector("dialog.job details").open = false');
  expect(await page.locator('#table-quality').isVisible()).toBe(false);
});

/** What the first line on paper says, and the moment at which it was printed, as the browser is about to print. */
async function paperOf(): Promise<string> {
  await page.emulateMedia({ media: 'print' });
  await page.evaluate('dispatchEvent(new Event("beforeprint"))');
  const line = page.locator('.paper');
  expect(await line.isVisible()).toBe(true);
  const said = plain(await line.innerText());
  await page.emulateMedia({ media: null });
  expect(await line.isVisible()).toBe(false);
  return said.replace(/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? UTC$/, 'now');
}

test('paper says of which workspace, filters and moment it is', async () => {
  await page.goto(`${service.url}/dashboard?workspace=${workspace}&from=2026-01-01&vessel=${workspace}&laytime=12`);
  await panelsAnswered(page);
  await page
    .locator('[name=vessel] option:checked', { hasText: 'Not in this workspace' })
    .waitFor({ state: 'attached' });
  expect(await paperOf()).toBe(
    `Workspace: ${NAMED} · ETA from: 2026-01-01 · Vessel: Not in this workspace · Laytime allowed: 12 h · Printed: now`,
  );
  await openJob();
  expect(await paperOf()).toBe(`Workspace: ${NAMED} · Laytime allowed: 36 h · Printed: now`);
});

test('a job in a small window can be closed from its end', async () => {
  await page.setViewportSize({ width: 360, height: 640 });
  await openJob();
  const scrolled = await page.locator('dialog.job').evaluate((dialog) => {
    dialog.scrollTop = dialog.scrollHeight;
    return dialog.scrollTop;
  });
  expect(scrolled).toBeGreaterThan(200);
  const close = page.getByRole('button', { name: 'Close' });
  const isOnTop = await close.evaluate((button) => {
    const { x, y, width, height } = button.getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2) === button;
  });
  expect(isOnTop).toBe(true);
  await close.click();
  await page.locator('dialog.job').waitFor({ state: 'detached' });
});
