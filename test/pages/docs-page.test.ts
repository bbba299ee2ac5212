// May take 20 s: the table of all endpoints is rendered.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { tagOf, tagOfAll } from '../../rest-compat/openapi/tags.ts';
import { EVENT_TYPES } from '../../src/model/webhooks/webhook-events.ts';
import { makeWorkspace, serviceFixture, startTestService, type TestService } from '../service.ts';
import { type Browser, openBrowser } from './browser.ts';

const LEGACY = '/openapi/legacy.json';
const V2 = '/openapi/v2.json';
const only = (document: string): string => `?document=${encodeURIComponent(document)}`;

describe('the page at /docs', () => {
  let service: TestService;
  let workspace: string;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    service = await startTestService();
    workspace = (await makeWorkspace(service, 'Baltic Sea')).id;
    browser = await openBrowser(service.url);
    page = browser.page;
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await service.stop();
  });

  /** Shows a document, unless the last test has left it there: rendering one is most of a test's time. */
  const open = async (query = ''): Promise<void> => {
    if (page.url() === `${service.url}/docs${query}`) return;
    await page.goto(`${service.url}/docs${query}`);
    await page.locator('.opblock-tag').first().waitFor();
  };
  /** Opens one operation of a document. */
  const unfold = async (id: string) => {
    const endpoint = endpoints.find((one) => one.id === id) ?? expect.fail(id);
    await page.locator(`[data-tag="${tagOf(endpoint)}"]`).click();
    const operation = page.locator('.opblock', { has: page.locator(`[href$="/${id}"]`) });
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Execute' }).waitFor();
    return operation;
  };

  test('shows every noun of the whole table, from our own files alone', async () => {
    await open();
    const shown = await page.evaluate(
      'Array.from(document.querySelectorAll(".opblock-tag"), ({ dataset }) => dataset.tag)',
    );
    expect(shown).toEqual([...new Set(endpoints.map(tagOfAll))]);
    expect(await page.locator('.webhooks .opblock').count()).toBe(EVENT_TYPES.length);
    expect(browser.faults).toEqual([]);
  });

  test('says what each tag is about in lines of a readable length, also on a phone', async () => {
    await open();
    const size = page.viewportSize() ?? expect.fail();
    await page.setViewportSize({ width: 360, height: 740 });
    const widths = await page.evaluate(
      'Array.from(document.querySelectorAll(".opblock-tag small"), (text) => text.getBoundingClientRect().width)',
    );
    expect(Math.min(...(widths as number[]))).toBeGreaterThan(250);
    await page.setViewportSize(size);
  });

  test('sends a request with the first demo key, to this host, and shows its answer', async () => {
    await open(only(LEGACY));
    const operation = await unfold('legacy.workspaces.get');
    await operation.getByPlaceholder('workspace_id').fill(workspace);
    const asked = page.waitForRequest(`${service.url}/workspaces/${workspace}`);
    await operation.getByRole('button', { name: 'Execute' }).click();
    expect((await asked).headers().authorization).toBe('Bearer demo-client-key');
    const answer = operation.locator('.live-responses-table');
    await answer.locator('.response-col_status', { hasText: '200' }).waitFor();
    expect(await answer.locator('.response-col_description').last().innerText()).toContain('Baltic Sea');
    expect(browser.faults).toEqual([]);
  });

  test("follows the system's dark or light scheme", async () => {
    const shade = (): Promise<string> =>
      page.evaluate(
        'getComputedStyle(document.querySelector(".opblock-tag")).color + getComputedStyle(document.querySelector("#docs")).backgroundColor',
      );
    await open(only(LEGACY));
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await shade();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(shade).toBe('rgb(228, 230, 230)rgb(33, 42, 59)');
    expect(light).toBe('rgb(59, 65, 81)rgba(0, 0, 0, 0)');
  });

  test('shows one family at a time on request', async () => {
    await open(only(LEGACY));
    expect(await page.locator('[data-tag="Documents"]').count()).toBe(0);
    await page.locator('#document').selectOption(V2);
    await page.waitForURL(`**/docs${only(V2)}`);
    await page.locator('[data-tag="Documents"]').waitFor();
    expect(await page.locator('[data-tag="Jobs"]').count()).toBe(0);
    expect(await page.locator('#document').inputValue()).toBe(V2);
  });

  test('sends the chosen key, and says when one is refused', async () => {
    await open(only(V2));
    const operation = await unfold('v2.organizations.list');
    await page.locator('#key').fill('wrong');
    await page.locator('#key').press('Enter');
    await operation.getByRole('button', { name: 'Execute' }).click();
    await page.getByText('The service refused this API key (401)').waitFor();
    await page.locator('#callers').selectOption('demo-vendor-key');
    const asked = page.waitForRequest(/v2\/organizations/);
    await operation.getByRole('button', { name: 'Execute' }).click();
    expect((await asked).headers().authorization).toBe('Bearer demo-vendor-key');
    await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
  });

  test('does not scroll sideways at 320 px, also while an operation is open', async () => {
    await page.goto('about:blank');
    await page.setViewportSize({ width: 320, height: 740 });
    await open(only(V2));
    const operation = await unfold('v2.organizations.list');
    const right = await operation.locator('.responses-table').evaluate((table) => table.getBoundingClientRect().right);
    expect(right).toBeGreaterThan(320); // it scrolls inside the operation
    expect(await page.evaluate('document.querySelector("#docs").scrollWidth')).toBe(320);
  });
});

describe('a document that does not load', () => {
  const service = serviceFixture();

  test('is reported, and can be requested again', async () => {
    await using browser = await openBrowser(service.url);
    const { page } = browser;
    const answers = [
      [
        { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' },
        'The service cannot be reached just now (502); try again.',
      ],
      [{ status: 503, json: { detail: 'The database is away.' } }, 'The database is away.'],
      [undefined, 'The service cannot be reached; try again.'],
    ] as const;
    let answer: (typeof answers)[number][0];
    await page.route('**/openapi/*.json', (route) => (answer ? route.fulfill(answer) : route.abort()));
    [answer] = answers[0];
    await page.goto(`${service.url}/docs${only('/openapi/reference.json')}`);
    for (const [given, said] of answers) {
      answer = given;
      await page.locator('#docs [role=alert] button').click();
      await page.locator('#docs').getByText(said).waitFor();
    }
    await page.getByRole('button', { name: 'Sign in…' }).click();
    await page.locator('#sign-in button[value=cancel]').click();
    await page.unroute('**/openapi/*.json');
    await page.locator('#docs [role=alert] button').click();
    await page.locator('.opblock-tag').first().waitFor();
    expect(await page.locator('#docs [role=alert]').count()).toBe(0);
  });
});

describe('the page in production', () => {
  test('exists, and offers no key', async () => {
    await using service = await startTestService({ env: { ENVIRONMENT: 'production', PUBLIC_DOCS: '1' } });
    const page = await service.ask('GET', '/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(page.text).toContain('value=""></label>');
    expect(page.text).not.toContain('demo-');
  });
});
