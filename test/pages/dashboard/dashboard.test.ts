// May take 20 s: a browser over the seeded demo.
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PANELS } from '../../../src/pages/dashboard.ts';
import { startTestService, type TestService } from '../../service.ts';
import { type Browser, openBrowser } from '../browser.ts';
import { seedPanels } from './open-dashboard.ts';

/** However busy the machine is. */
const SOON = { timeout: 60_000 };
const WORKSPACE = '0190a000-0000-7000-8000-0000000b0001';
interface AuditedJob {
  readonly refNumber: string;
  readonly figureAudit: { readonly findings: readonly { readonly rule: string; readonly severity: string }[] };
}

interface VoyageJob {
  readonly refNumber: string;
  readonly tripNumber: string;
  readonly voyageAnalysis: {
    readonly loadings: readonly { readonly refNumber: string }[];
    readonly transit: { readonly percent: number | null };
    readonly shoreToShore: { readonly given: number };
  };
}

const JOB = '019da02b-c518-7182-afa9-49e59e9c33a1';

describe('the dashboard', () => {
  let service: TestService;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    service = await startTestService({ records: true, counts: true, audits: true });
    await seedPanels(service);
    browser = await openBrowser(service.url);
    page = browser.page;
    await page.setViewportSize({ width: 1400, height: 4800 });
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await stop();
  });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await service.stop();
    isStopped = true;
  };

  /** Opens the dashboard, unless the last test has left it open: loading it is most of a test's time. */
  const open = async (query = ''): Promise<void> => {
    const address = `${service.url}/dashboard${query}`;
    const shown = new URL(page.url());
    shown.searchParams.delete('workspace');
    if (shown.href !== address) await page.goto(address);
    for (const panel of PANELS) await page.locator(`#${panel}[aria-busy=false] h2`).waitFor();
  };
  const unfold = (panel: string): Promise<void> =>
    page.locator(`#${panel} details`).evaluate((details) => details.setAttribute('open', ''));
  const closeJob = async (): Promise<void> => {
    await page.keyboard.press('Escape');
    await page.locator('dialog.job').waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).searchParams.has('job'), SOON).toBe(false);
  };
  /** Without the characters that isolate names from the words around them. */
  const title = async (panel: string): Promise<string> =>
    (await page.locator(`#${panel} h2`).innerText()).replace(/[\u2068\u2069]/g, '');
  const count = async (where: string): Promise<number> => {
    const query = `{ jobs(workspace: "${WORKSPACE}", first: 1, where: ${where}) { totalCount } }`;
    return (await service.graphql(query)).body.data.jobs.totalCount;
  };

  test("draws charts with the API's figures, from our own files alone", async () => {
    await open();
    for (const panel of PANELS) await page.locator(`#${panel} .chart svg`).first().waitFor();
    expect(await page.locator('.panel').count()).toBe(PANELS.length);
    // every chart describes what it shows, and every panel has its figures as tables and CSV
    for (const text of await page
      .locator('.chart')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))))
      expect(text).toMatch(/^(?:Bars|Each|The time log) .*\d/);
    for (const panel of PANELS) {
      const tables = await page.locator(`#${panel} table`).count();
      expect(tables).toBeGreaterThan(0);
      expect(await page.locator(`#${panel} a[download$=".csv"]`).count()).toBe(tables);
    }
    const late = await count(`{ status: { in: ["pending", "active"] }, etc: { lt: "${new Date().toISOString()}" } }`);
    expect(await title('jobs')).toBe(`${late} of ${await count('{}')} jobs should be complete and are not`);
    for (const [state, name] of [
      ['pending', 'Pending'],
      ['active', 'Active'],
      ['complete', 'Complete'],
    ])
      expect(await page.locator('#jobs .note').innerText()).toContain(
        `${name}: ${await count(`{ status: { eq: "${state}" } }`)}`,
      );
    expect(await title('reconciliation')).toMatch(/^\d+ of \d+ jobs that can be compared are beyond ±0\.5 %$/);
    await unfold('reconciliation');
    const beyond = Number((await title('reconciliation')).split(' ')[0]);
    const percents = await page.locator('#table-reconciliation tbody tr td:nth-child(10)').allInnerTexts();
    expect(percents.filter((percent) => Math.abs(Number(percent)) > 0.5).length).toBe(beyond);
    const query = `{ workspace(id: "${WORKSPACE}") { statistics { offSpecification { total { judged offSpecification } } } } }`;
    const { total } = (await service.graphql(query)).body.data.workspace.statistics.offSpecification;
    const shares = `${total.offSpecification} results of ${total.judged} that were judged`;
    expect(await page.locator('#quality .note').innerText()).toContain(shares);
    expect(browser.faults).toEqual([]);
  });

  test('exports the figures as CSV, and the query to GraphiQL', async () => {
    await open();
    await unfold('reconciliation');
    const href = (await page.locator('a[download="reconciliation.csv"]').getAttribute('href')) ?? '';
    const lines = decodeURIComponent(href.slice(href.indexOf(',') + 1)).split('\r\n');
    expect(lines[0]).toBe(
      '\uFEFFJob,Vessel,Place,ETA,Figure,Unit,Given,Received,Difference,Percent,Tolerance ± %,Unknown because',
    );
    expect(lines.length - 1).toBe(await page.locator('#table-reconciliation tbody tr').count());
    const asked = new URL((await page.locator('#quality .more a').getAttribute('href')) ?? '', service.url)
      .searchParams;
    expect(asked.get('query')).toContain('query DashboardQuality');
    const variables = JSON.parse(asked.get('variables') ?? '');
    expect(variables).toMatchObject({ workspace: WORKSPACE });
    const { body } = await service.graphql(asked.get('query') ?? '', variables, 'client');
    const { listed, workspace } = body.data;
    expect(await title('quality')).toContain(`${listed.offSpecification.totalCount} results off specification`);
    const { judged } = workspace.statistics.offSpecification.total;
    expect(await page.locator('#quality .note').innerText()).toContain(`of ${judged} that were judged`);
  });

  test('opens a job by keyboard, with its timeline and versions, and closes it with Escape', async () => {
    await open();
    await page.locator('#time summary').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('#time details').getAttribute('open')).toBe('');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.locator('#time .link').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog.job #timeline .chart svg').waitFor();
    expect(await title('timeline')).toMatch(/ h at port/);
    const versions = page.locator('dialog.job #table-versions tbody');
    await versions.waitFor({ state: 'attached' });
    expect(await versions.textContent()).toContain('Version 1');
    await closeJob();
  });

  test("shows the figure audit's findings by rule and severity, and opens the job of one", async () => {
    await open();
    const query = `query Q($where: JobWhere) { jobs(workspace: "${WORKSPACE}", first: 100, where: $where) {
      nodes { refNumber figureAudit { findings { rule severity } } } } }`;
    const where = { status: { in: ['active', 'complete'] } }; // a job that has not begun has no figures
    const { nodes } = (await service.graphql(query, { where })).body.data.jobs;
    const findings = nodes.flatMap(({ refNumber, figureAudit }: AuditedJob) =>
      figureAudit.findings.map(({ rule, severity }) => [refNumber, rule, severity].join(' ')),
    );
    expect(findings.length).toBeGreaterThan(3);
    await unfold('audit');
    const cells = (row: number) => page.locator(`#table-findings tbody td:nth-child(${row})`).allInnerTexts();
    const [jobs, rules, severities] = [await cells(1), await cells(5), await cells(6)];
    const shown = jobs.map((job, index) => [job, rules[index], severities[index]].join(' '));
    expect(shown.toSorted()).toEqual(findings.toSorted());
    expect(await title('audit')).toMatch(`${new Set(jobs).size} of ${await count('{}')} jobs `);
    await page.locator('#table-findings .link').first().click();
    await expect.poll(() => title('details'), SOON).toContain(`${jobs[0]}: `);
    expect(await page.locator('#table-findings-of-job tbody').textContent()).toContain(rules[0]);
    await closeJob();
  });

  test('links from the voyage with the largest loss to where it was lost, and to its loading', async () => {
    const query = `query Q($w: UUID!) { jobs(workspace: $w, first: 100, where: { activity: { eq: "discharge" }, status: { eq: "complete" } }) {
      nodes { refNumber tripNumber voyageAnalysis { loadings { refNumber } transit { percent } shoreToShore { given } } } } }`;
    const { nodes } = (await service.graphql(query, { w: WORKSPACE })).body.data.jobs;
    const lossOf = ({ voyageAnalysis }: VoyageJob) => voyageAnalysis.transit.percent ?? 0;
    const lost: VoyageJob = nodes.toSorted((a: VoyageJob, b: VoyageJob) => lossOf(a) - lossOf(b))[0];
    expect(lossOf(lost)).toBeLessThan(-0.6);
    await open();
    await unfold('voyages');
    const [percent, loading] = [lossOf(lost), lost.voyageAnalysis.loadings[0]?.refNumber ?? ''];
    expect(await title('voyages')).toContain(`${lost.tripNumber}, `);
    expect(await title('voyages')).toContain(`lost ${Number((-percent).toFixed(3))} % under way`);
    const first = page.locator('#table-voyages tbody tr').first();
    expect([await first.locator('td').nth(0).innerText(), await first.locator('td').nth(6).innerText()]).toEqual([
      lost.refNumber,
      String(percent),
    ]);
    await first.locator('.link').click();
    await expect.poll(() => title('details'), SOON).toContain(`${lost.refNumber}: `);
    expect(await page.locator('#details .note').innerText()).toContain(`on departure → on arrival, ${percent} %`);
    await unfold('details');
    const step = page.locator('#table-voyage tbody tr').nth(1).locator('td');
    expect(await step.nth(4).innerText()).toBe(String(percent));
    const given = page.locator('#table-measured tbody tr', { hasText: 'TCV' }).locator('td').nth(1);
    expect(Number((await given.innerText()).replaceAll(',', ''))).toBe(lost.voyageAnalysis.shoreToShore.given);
    await page.locator('#table-calls-of-voyage .link', { hasText: loading }).click();
    await expect.poll(() => title('details'), SOON).toContain(`${loading}: `);
    await closeJob();
  });

  test('shows a change within two seconds', async () => {
    await open();
    const before = await count('{ status: { eq: "cancelled" } }');
    await page.locator('.live[data-live=true]').waitFor();
    const patched = await service.ask('PATCH', `/workspaces/${WORKSPACE}/jobs/${JOB}`, {
      as: 'client',
      body: { status: 'cancelled' },
    });
    expect(patched.status).toBe(200);
    const note = () => page.locator('#jobs .note').innerText();
    await expect.poll(note, SOON).toContain(`Cancelled: ${before + 1}`);
  });

  test('shows laytime against the allowed hours', async () => {
    await open();
    const before = await title('time');
    const released = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"allowedHours":10')) await released.promise;
      await route.fallback();
    });
    await page.locator('input[name=laytime]').fill('10');
    await page.locator('input[name=laytime]').press('Enter');
    await page.locator('#time[aria-busy=true]').waitFor();
    expect(await title('time')).toBe(before); // until the answer arrives, what is shown belongs to the previous query
    released.resolve();
    await expect.poll(() => title('time'), SOON).toContain('used more than 10 h of laytime');
    await page.unroute('**/graphql');
    await unfold('time');
    const used = await page.locator('#table-time-at-port tbody td:nth-child(9)').allInnerTexts();
    const over = used.filter((hours) => Number(hours) > 10).length;
    expect(await title('time')).toContain(`${over} of ${used.filter((hours) => hours !== '–').length} calls`);
    expect(new URL(page.url()).searchParams.get('laytime')).toBe('10');
  });

  test('filters by vessel and period, and keeps the filters in the address', async () => {
    await open();
    const before = await title('jobs');
    const vessel = await page.locator('select[name=vessel] option', { hasText: 'Silver Petrel' }).getAttribute('value');
    await page.locator('select[name=vessel]').selectOption(vessel);
    await page.locator('input[name=from]').fill('2026-05-01');
    await expect.poll(() => title('jobs'), SOON).not.toBe(before);
    const fits = `{ transports: { id: { eq: "${vessel}" } }, eta: { gte: "2026-05-01T00:00:00Z" } }`;
    await expect.poll(() => title('jobs'), SOON).toContain(`of ${await count(fits)} jobs`);
    await expect.poll(() => title('vessel'), SOON).toContain('Silver Petrel: experience factor');
    const kept = new URL(page.url()).searchParams;
    expect([kept.get('vessel'), kept.get('from')]).toEqual([vessel, '2026-05-01']);
    const filtered = await title('jobs');
    await page.reload();
    await expect.poll(() => title('jobs'), SOON).toBe(filtered);
  });

  test('says what to do without a key, and when nothing matches', async () => {
    await open('?from=2031-01-01');
    expect(await title('jobs')).toBe('No jobs');
    expect(await page.locator('#jobs .empty').innerText()).toContain('Choose a longer period');
    await page.locator('#key').fill('no-such-key');
    await page.locator('#key').press('Enter');
    await expect.poll(() => page.locator('#jobs [role=alert]').innerText(), SOON).toMatch(/key/i);
    await page.locator('#callers').selectOption('demo-client-key');
    await expect.poll(() => page.locator('[role=alert]').count(), SOON).toBe(0);
  });

  test.each([
    [390, 'light'],
    [1280, 'dark'],
    [2560, 'light'],
  ] as const)('fits %i px in the %s scheme, without accessibility violations', async (width, colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 12_000 }); // so that every panel is visible
    await open();
    await page.locator('#quality .chart svg').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: object[] }[] };
    expect(violations.map(({ id, nodes }) => [id, nodes.length])).toEqual([]);
  });

  test('says that it is reconnecting when the service is down', async () => {
    await open();
    await page.locator('.live[data-live=true]').waitFor();
    await stop();
    await page.locator('.live[data-live=false]').waitFor();
    expect(await page.locator('.live').innerText()).toContain('interrupted');
  });
});
