// May take 20 s: more workspaces than the dashboard lists.
import type { Page } from 'playwright-core';
import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { PANELS } from '../../../src/pages/dashboard.ts';
import { CALLERS, makeWorkspace, serviceFixture, type TestWorkspace } from '../../service.ts';
import { type Browser, openBrowser } from '../browser.ts';
import { loadDashboard, plain } from './open-dashboard.ts';

/** However busy the machine is. */
const SOON = { timeout: 60_000 };
const LISTED = 200;

const service = serviceFixture({ records: true, counts: true, audits: true });

async function openDashboard(query: string, key?: string): Promise<Browser> {
  const browser = await openBrowser(service.url);
  await loadDashboard(browser.page, service, query, key);
  return browser;
}

const chosen = (page: Page): Promise<string> =>
  page
    .locator('select[name=workspace]')
    .evaluate((select) => (select as HTMLSelectElement).selectedOptions[0]?.text ?? '');
const said = async (page: Page): Promise<string> => plain(await page.locator('.live').innerText());

describe('a link to a workspace', () => {
  let oldest: TestWorkspace;
  beforeAll(async () => {
    oldest = await makeWorkspace(service, 'The oldest of many');
    const parties = { client: { id: oldest.client }, vendor: { id: oldest.vendor } };
    for (let count = 0; count <= LISTED; count += 1) {
      const opened = await service.ask('POST', '/workspaces', {
        as: 'client',
        body: { description: 'Newer', parties },
      });
      expect(opened.status).toBe(201);
    }
  });

  test('that is not among the newest opens it, and the list says it is incomplete', async () => {
    await using browser = await openDashboard(`workspace=${oldest.id.toUpperCase()}`);
    const { page } = browser;
    await page.locator('#jobs[aria-busy=false] .empty').waitFor();
    expect(await chosen(page)).toBe('The oldest of many');
    const { totalCount } = (await service.graphql('{ workspaces(first: 1) { totalCount } }')).body.data.workspaces;
    expect(await page.locator('select[name=workspace] option').last().textContent()).toBe(
      `The newest ${LISTED} of ${totalCount} are listed; a link with its id opens another.`,
    );
    expect(new URL(page.url()).searchParams.get('workspace')).toBe(oldest.id);
    expect(browser.faults).toEqual([]);
  });

  test.each([
    ['of nobody', newId(), /^There is no workspace .{36}, or you are not a party to it/],
    ['that is not an id', 'xyz', /^“workspace” is xyz, which is not an id/],
  ])('%s says so, shows no figures, and stays in the address until another is chosen', async (_what, id, words) => {
    await using browser = await openDashboard(`workspace=${id}&from=2026-04-01`);
    const { page } = browser;
    await expect.poll(() => said(page), SOON).toMatch(words);
    for (const panel of PANELS) {
      expect(await page.locator(`#${panel} h2`).innerText()).toMatch(/: no workspace$/);
      expect(await page.locator(`#${panel} .chart, #${panel} table`).count()).toBe(0);
    }
    expect(await chosen(page)).toBe('Choose a workspace');
    expect(new URL(page.url()).searchParams.get('workspace')).toBe(id);
    const another = await page.locator('select[name=workspace] option').nth(1).getAttribute('value');
    await page.locator('select[name=workspace]').selectOption(another);
    await page.locator('#jobs[aria-busy=false] .empty').waitFor();
    expect(await page.locator('#jobs h2').innerText()).toBe('No jobs');
    expect(new URL(page.url()).search).toBe(`?workspace=${another}&from=2026-04-01`);
    expect(browser.faults).toEqual([]);
  });

  test('of others says that the caller is not a party to it, and nothing more', async () => {
    const others = await service.ask('POST', '/v2/organizations', {
      as: 'stranger',
      body: { name: `Strange ${newId()}`, category: 'shipper' },
    });
    const parties = { client: { id: others.body.id }, vendor: { id: oldest.vendor } };
    const own = await service.ask('POST', '/workspaces', {
      as: 'stranger',
      body: { description: 'Of a stranger', parties },
    });
    expect(own.status).toBe(201);
    await using browser = await openDashboard(`workspace=${oldest.id}`, CALLERS.stranger);
    await expect.poll(() => said(browser.page), SOON).toMatch(/or you are not a party to it/);
    expect(await browser.page.content()).not.toContain('The oldest of many');
  });
});

describe('when there are no figures to filter', () => {
  const vessel = newId();
  const named = (page: Page): Promise<(string | undefined)[]> =>
    page
      .locator('form.filters select')
      .evaluateAll((selects) => selects.map((select) => (select as HTMLSelectElement).selectedOptions[0]?.text));

  test('because the key is refused, every panel says so, and no filter waits for an answer', async () => {
    await using browser = await openDashboard(`vessel=${vessel}`, 'no-such-key');
    const { page } = browser;
    await expect.poll(() => page.locator('.panel [role=alert]').count(), SOON).toBe(PANELS.length);
    for (const text of await page.locator('.panel [role=alert]').allInnerTexts()) {
      expect(text).toContain('The service refuses this API key');
    }
    expect(await named(page)).toEqual(['Not available', 'Not available', 'All products', 'All places']);
    await page.locator('#key').fill('');
    await page.locator('#key').press('Enter');
    await expect.poll(() => page.locator('#jobs [role=alert]').innerText(), SOON).toContain('Enter an API key above');
  });

  test('because a link has no workspace, no filter waits either', async () => {
    await using browser = await openDashboard(`workspace=${newId()}&vessel=${vessel}`);
    await expect.poll(() => said(browser.page), SOON).toMatch(/^There is no workspace/);
    expect((await named(browser.page)).slice(0, 2)).toEqual(['Choose a workspace', 'No workspace']);
  });
});

test('without a link the newest workspace is opened', async () => {
  const { id } = await makeWorkspace(service, 'The newest');
  await using browser = await openDashboard('');
  await browser.page.locator('#jobs[aria-busy=false] .empty').waitFor();
  expect(await chosen(browser.page)).toBe('The newest');
  expect(new URL(browser.page.url()).searchParams.get('workspace')).toBe(id);
});

describe('an incomplete list of vessels', () => {
  const LISTED_VESSELS = 500;
  const name = (index: number) => `Vessel ${String(index).padStart(3, '0')}`;

  test('says so, and includes the one a link names', async () => {
    const { id } = await makeWorkspace(service);
    const transports = Array.from({ length: LISTED_VESSELS + 2 }, (_, index) => ({ name: name(index) }));
    const body = { refNumber: 'FLEET', status: 'active', transports };
    expect((await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body })).status).toBe(201);
    const last = name(LISTED_VESSELS + 1);
    const query = `{ catalogRecords(workspace: "${id}", catalog: "transports", where: { name: { eq: "${last}" } }) { nodes { id } } }`;
    const [vessel] = (await service.graphql(query)).body.data.catalogRecords.nodes;
    await using browser = await openDashboard(`workspace=${id}&vessel=${vessel.id}`);
    const { page } = browser;
    const shown = () =>
      page.locator('select[name=vessel]').evaluate((select) => (select as HTMLSelectElement).selectedOptions[0]?.text);
    await expect.poll(shown, SOON).toBe(last);
    expect(await page.locator('select[name=vessel] option').last().textContent()).toBe(
      `The first ${LISTED_VESSELS} of ${LISTED_VESSELS + 2} are listed; a link with its id chooses another.`,
    );
    await expect.poll(() => page.locator('#jobs h2').innerText(), SOON).toBe('The only job is not overdue');
    await page.locator('select[name=vessel]').selectOption('');
    await expect.poll(() => new URL(page.url()).searchParams.has('vessel'), SOON).toBe(false);
    await page.goto(`${service.url}/dashboard?workspace=${id}&vessel=${newId()}`);
    await expect.poll(shown, SOON).toBe('Not in this workspace');
    expect(browser.faults).toEqual([]);
  });
});
