// May take 20 s: a browser opens each page.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO } from '../auth/sign-in.ts';
import { makeWorkspace, startTestService, type TestService } from '../service.ts';
import { type Browser, openBrowser } from './browser.ts';

/** Below which path the services are seen. */
const PATH = '/exchange';

let open: TestService;
let closed: TestService;
let openUrl: string;
let closedUrl: string;

beforeAll(async () => {
  [[open, openUrl], [closed, closedUrl]] = await Promise.all([serveBelowPath('1'), serveBelowPath('0')]);
});
afterAll(async () => {
  await Promise.all([open.stop(), closed.stop()]);
});

/** A service, and its address on a proxy that serves it below the path. */
async function serveBelowPath(publicDocs: string): Promise<[TestService, string]> {
  let service: TestService | undefined;
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    if (service === undefined || !url.startsWith(`${PATH}/`)) {
      outgoing.writeHead(404).end();
      return;
    }
    const passed = request(`${service.url}${url.slice(PATH.length)}`, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    outgoing.once('close', () => passed.destroy());
    passed.once('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1').unref();
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${PATH}`;
  service = await startTestService({ env: { BASE_URL: url, PUBLIC_DOCS: publicDocs } });
  return [service, url];
}

async function signIn({ page }: Browser): Promise<void> {
  await page.getByRole('button', { name: 'Sign in…' }).click();
  await page.locator('[name=username]').fill(DEMO.username);
  await page.locator('[name=password]').fill(DEMO.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('the landing page is styled below the path of BASE_URL, shows the health, and leads to the other pages', async () => {
  await using browser = await openBrowser(openUrl);
  const { page } = browser;
  await page.goto(`${openUrl}/`);
  await page.locator('#health[data-state="up"]').waitFor();
  expect(await page.evaluate('document.styleSheets.length')).toBe(1);
  for (const name of ['REST', 'GraphiQL', 'Dashboard', 'OpenAPI']) {
    const href = await page.getByRole('link', { name, exact: false }).first().getAttribute('href');
    expect(href).toMatch(/^\/exchange\//);
  }
  expect(browser.faults).toEqual([]);
});

test('/docs shows the documents below the path of BASE_URL, and sends requests there', async () => {
  await using browser = await openBrowser(openUrl);
  const { page } = browser;
  await page.goto(`${openUrl}/docs?document=%2Fopenapi%2Freference.json`);
  await page.locator('.opblock-tag').first().waitFor();
  expect(await page.locator('.servers option').allTextContents()).toEqual([openUrl]);
  await signIn(browser);
  await page.getByRole('button', { name: `Sign out ${DEMO.username}` }).waitFor();
  expect(browser.faults).toEqual([]);
});

test('GraphiQL sends its operations below the path of BASE_URL', async () => {
  await using browser = await openBrowser(openUrl);
  const { page } = browser;
  await page.goto(`${openUrl}/graphql`);
  const isAnswered = page.waitForResponse((response) => response.url() === `${openUrl}/graphql`);
  await page.locator('.graphiql-execute-button').click();
  expect((await isAnswered).status()).toBe(200);
  expect(browser.faults).toEqual([]);
});

test('/dashboard answers below the path of BASE_URL, and its links stay there', async () => {
  await makeWorkspace(open, 'Baltic Sea');
  await using browser = await openBrowser(openUrl);
  const { page } = browser;
  await page.goto(`${openUrl}/dashboard`);
  await page.locator('select[name=workspace] option', { hasText: 'Baltic Sea' }).waitFor({ state: 'attached' });
  await page.locator('#jobs[aria-busy=false] .more a').waitFor();
  expect(await page.locator('#jobs .more a').getAttribute('href')).toContain(`${openUrl}/graphql?`);
  expect(browser.faults).toEqual([]);
});

test('the sign-in page leads to a closed page below the path of BASE_URL', async () => {
  await using browser = await openBrowser(closedUrl);
  await browser.page.goto(`${closedUrl}/docs?document=%2Fopenapi%2Freference.json`);
  await signIn(browser);
  await browser.page.locator('.opblock-tag').first().waitFor();
  expect(browser.faults.filter((fault) => !fault.includes('401'))).toEqual([]);
});
