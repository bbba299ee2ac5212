// May take 20 s: GraphiQL is loaded several times.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DEMO_USER } from '../../src/demo/principals.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { graphiqlPage } from '../../src/pages/graphiql.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { type Browser, openBrowser } from './browser.ts';

const DARK = 'rgb(33, 42, 59)';
const WHITE = 'rgb(255, 255, 255)';
const VESSEL = 'Aurora Borealis';
const TABS = [
  ...['NewestJobs', 'Completeness', 'QuantityReconciliation', 'TimeAndLaytime'],
  ...['Quality', 'VesselExperience', 'Statistics', 'Changes', 'Webhooks'],
];

describe('GraphiQL at /graphql', () => {
  const service = serviceFixture({ records: true, counts: true });
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let faultsBefore: number;
  let workspace: string;

  beforeAll(async () => {
    await seedDemo(service.stores);
    const { id } = await makeWorkspace(service);
    workspace = id;
    const cargo = { product: { name: 'Naphtha' }, quantity: 31250.5, uom: { name: 'MT' } };
    const body = { refNumber: 'R-1', activity: 'load', transports: [{ name: VESSEL }], cargo };
    const { status, text } = await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body });
    expect(status, text).toBe(201);
    const counted = `{ workspace(id: "${id}") { statistics { asOf } } }`;
    await vi.waitFor(async () => expect((await service.graphql(counted)).body.errors).toBeUndefined(), {
      timeout: 30_000,
    });
    browser = await openBrowser(service.url);
    ({ context, page } = browser);
  });
  // Loading GraphiQL is most of a test's time: it stays open between tests, each of which starts signed out, with the first demo
  // key.
  beforeEach(async () => {
    faultsBefore = browser.faults.length;
    if (page.url() !== `${service.url}/graphql`) return open();
    const signOut = page.getByRole('button', { name: 'Sign out' });
    if (await signOut.isVisible()) await signOut.click();
    await page.getByRole('button', { name: 'Sign in…' }).waitFor();
    await page.locator('#callers').selectOption('demo-client-key');
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  const faults = (): readonly string[] => browser.faults.slice(faultsBefore);
  const open = async (query = ''): Promise<void> => {
    await page.goto(`${service.url}/graphql${query}`);
    await page.locator('.graphiql-doc-explorer-content, .graphiql-execute-button').first().waitFor();
  };
  const run = (): Promise<void> => page.locator('.graphiql-execute-button').click();
  const result = (text: string): Promise<void> => page.locator('.result-window', { hasText: text }).waitFor();

  test('opens with an example that answers with the first demo key, from our own files alone', async () => {
    expect(await page.locator('#key').inputValue()).toBe('demo-client-key');
    const asked = page.waitForRequest((request) => request.postData()?.includes('NewestJobs') ?? false);
    await run();
    expect((await asked).headers().authorization).toBe('Bearer demo-client-key');
    await result(VESSEL);
    expect(faults()).toEqual([]);
  });

  const tabs = () => page.locator('.graphiql-tab-button').allTextContents();
  const choose = async (title: string): Promise<void> => {
    await page.locator('.graphiql-tab-button', { hasText: title }).click();
    const read = () => page.evaluate("localStorage.getItem('graphiql:operationName')");
    await expect.poll(read).toBe(title); // GraphiQL reads a tab's text a moment after it was opened
  };

  test('has a tab for each question of a cargo owner, and each answers with a demo key', async () => {
    expect(await tabs()).toEqual(TABS);
    for (const [title, answer] of [
      ['Completeness', '"completeKinds"'],
      ['QuantityReconciliation', '"transfer"'],
      ['TimeAndLaytime', '"timeSummary"'],
      ['Quality', '"isOnSpecification"'],
      ['VesselExperience', 'Silver Petrel'],
      ['Statistics', '"statistics"'],
    ] as const) {
      await choose(title);
      await run();
      await result(answer);
      expect(await page.locator('.result-window').textContent()).not.toContain('"errors"');
    }
    expect(await tabs()).toEqual(TABS);
    expect(faults()).toEqual([]);
  });

  test("follows the system's dark or light scheme", async () => {
    const background = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).toBe(DARK);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await background()).toBe(WHITE);
  });

  /** Creates jobs until one is received, as a stream starts some time after it was requested. */
  const hearsOfJobs = async (refNumber: string): Promise<void> => {
    const asked = page.waitForRequest((request) => request.postData()?.includes('documentChanged') ?? false);
    await run();
    expect((await asked).headers().accept).toBe('text/event-stream');
    for (let turn = 0; turn < 20; turn += 1) {
      const body = { refNumber, transports: [{ name: VESSEL }] };
      expect((await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body })).status).toBe(201);
      const heard = result(refNumber).then(() => true);
      if (await Promise.race([heard, sleep(1_000, false)])) return;
      heard.catch(() => undefined);
    }
    throw new Error('nothing was heard of');
  };

  test('shows events as they happen, for a key, another one and a signed-in user', async () => {
    await choose('Changes');
    await hearsOfJobs('by the first key');
    await run(); // stops it
    await page.locator('#callers').selectOption('demo-vendor-key');
    await hearsOfJobs('by the other key');
    await run();
    await signIn(DEMO_USER.password);
    await signedIn().waitFor();
    await hearsOfJobs('by the session');
    await run();
    expect(faults()).toEqual([]);
  });

  test('says at once if a key may not subscribe', async () => {
    await page.locator('#key').fill('wrong');
    await page.locator('#key').press('Enter');
    await choose('Changes');
    await run();
    await result('401');
    await page.getByText('The service refused this API key (401)').waitFor();
  });

  test('says if a key is refused, and forgets it when another is chosen', async () => {
    await page.locator('#key').fill('wrong');
    await page.locator('#key').press('Enter');
    await page.getByText('The service refused this API key (401)').waitFor();
    await page.locator('#callers').selectOption('demo-vendor-key');
    await choose('NewestJobs');
    const answered = page.waitForResponse((response) => response.request().postData()?.includes('NewestJobs') ?? false);
    await run();
    expect(await (await answered).text()).toContain(VESSEL);
    expect(await page.locator('#state').textContent()).toBe('');
    expect(await page.locator('#key').inputValue()).toBe('demo-vendor-key');
  });

  const signIn = async (password: string): Promise<void> => {
    await page.getByRole('button', { name: 'Sign in…' }).click();
    await page.getByLabel('Name').fill(DEMO_USER.username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };

  const signedIn = () => page.getByRole('button', { name: `Sign out ${DEMO_USER.username}` });
  const authorization = async (): Promise<string | undefined> => {
    await choose('NewestJobs');
    const asked = page.waitForRequest((request) => request.postData()?.includes('NewestJobs') ?? false);
    await run();
    return (await asked).headers().authorization;
  };

  test('queries as the signed-in user, unless a key is chosen', async () => {
    await signIn('a wrong one');
    await page.getByText('The username or the password is wrong.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await signIn(DEMO_USER.password);
    await signedIn().waitFor();
    expect(await page.locator('#key').inputValue()).toBe('');
    expect(await authorization()).toBeUndefined();
    await result(VESSEL);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: 'session', httpOnly: true, sameSite: 'Lax', path: '/' });
    await page.locator('#callers').selectOption('demo-vendor-key');
    expect(await authorization()).toBe('Bearer demo-vendor-key');
  });

  test('is signed in and out in every tab', async () => {
    await signIn(DEMO_USER.password);
    await signedIn().waitFor();
    const first = page;
    page = await context.newPage();
    await open();
    expect(await page.locator('#key').inputValue()).toBe('');
    await signedIn().click();
    await page.getByRole('button', { name: 'Sign in…' }).waitFor();
    expect(await context.cookies()).toEqual([]);
    await page.close();
    page = first;
    await page.getByRole('button', { name: 'Sign in…' }).waitFor();
    await run();
    await page.getByText('The service needs a credential (401)').waitFor();
  });

  test('says that a session has ended', async () => {
    await signIn(DEMO_USER.password);
    await signedIn().waitFor();
    await context.clearCookies();
    await run();
    await page.getByText('The session has ended (401): sign in again.').waitFor();
    await page.getByRole('button', { name: 'Sign in…' }).waitFor();
  });

  test('remembers a key only in its tab', async () => {
    await page.locator('#callers').selectOption('demo-vendor-key');
    await page.reload();
    expect(await page.locator('#key').inputValue()).toBe('demo-vendor-key');
    const other = await context.newPage();
    await other.goto(`${service.url}/graphql`);
    expect(await other.locator('#key').inputValue()).toBe('demo-client-key');
    await other.close();
  });

  test('opens a query from the address beside the examples', async () => {
    await page.goto(`${service.url}/livez`);
    await page.evaluate('localStorage.clear()');
    await open(`?query=${encodeURIComponent('query Who { viewer { name } }')}`);
    expect(await tabs()).toEqual(['Who', ...TABS]);
    await run();
    await result('"name"');
  });

  test('serves its files with their type, cacheable forever, and the page only to browsers', async () => {
    const html = await (await fetch(`${service.url}/graphql`, { headers: { accept: 'text/html' } })).text();
    const files = [...html.matchAll(/(?:src|href)="(\/graphiql\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(files).toHaveLength(8);
    for (const path of files) {
      const { status, headers } = await fetch(service.url + path);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable']);
      expect(headers.get('content-type')).toBe(`text/${path.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`);
    }
    const json = await fetch(`${service.url}/graphql?query={__typename}`, {
      headers: { authorization: 'Bearer demo-client-key' },
    });
    expect(await json.json()).toEqual({ data: { __typename: 'Query' } });
  });
});

describe('graphiqlPage', () => {
  test('offers no key without demo keys, and escapes its input', () => {
    expect(graphiqlPage({ basePath: '', keys: [] })).toContain('value=""></label>');
    expect(graphiqlPage({ basePath: '', keys: [] }).match(/<option/g)).toHaveLength(1);
    expect(graphiqlPage({ basePath: '', keys: [{ key: '"k', label: '<b>&' }] })).toContain(
      '<option value="&quot;k">&lt;b>&amp;</option>',
    );
  });
});
