import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { DEMO, SESSION } from '../auth/sign-in.ts';
import { serviceFixture } from '../service.ts';
import { openBrowser } from './browser.ts';

const service = serviceFixture();

const problem = (status: number, detail: string) => (route: Route) =>
  route.fulfill({ status, contentType: 'application/problem+json', body: JSON.stringify({ status, detail }) });
const ofProxy = (route: Route) =>
  route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' });
const nothing = (route: Route) => route.abort();

/** Replaces the service's answers about sessions, or restores them. */
async function answerWith(page: Page, answer?: (route: Route) => Promise<void>): Promise<void> {
  await page.unrouteAll();
  if (answer) await page.route(`**${SESSION}`, answer);
}

const open = async () => {
  const browser = await openBrowser(service.url);
  await browser.page.goto(`${service.url}/dashboard`);
  return browser;
};
const fill = async (page: Page) => {
  await page.getByRole('button', { name: 'Sign in…' }).click();
  await page.locator('[name=username]').fill(DEMO.username);
  await page.locator('[name=password]').fill(DEMO.password);
};
const submit = (page: Page) => page.getByRole('button', { name: 'Sign in', exact: true }).click();
const signOut = (page: Page) => page.getByRole('button', { name: `Sign out ${DEMO.username}` });

describe('signing out', () => {
  test('reports a failure, and can be retried', async () => {
    await using browser = await open();
    const { page, context } = browser;
    await fill(page);
    await submit(page);
    for (const [answer, said] of [
      [problem(503, 'The database is away.'), 'You are still signed in. The database is away.'],
      [problem(429, 'Too many requests.'), 'You are still signed in. Too many requests.'],
      [ofProxy, 'You are still signed in. The service cannot be reached just now (502); try again.'],
      [nothing, 'You are still signed in. The service cannot be reached; try again.'],
    ] as const) {
      await answerWith(page, answer);
      await signOut(page).click();
      await page.getByText(said).waitFor();
      expect(await signOut(page).isVisible()).toBe(true);
    }
    await answerWith(page);
    await signOut(page).click();
    await page.getByRole('button', { name: 'Sign in…' }).waitFor();
    expect(await page.getByText('You are still signed in.').count()).toBe(0);
    expect(await context.cookies()).toEqual([]);
  });

  test('succeeds if the service knows no session', async () => {
    await using browser = await open();
    const { page, context } = browser;
    await fill(page);
    await submit(page);
    await signOut(page).waitFor();
    await context.clearCookies();
    await signOut(page).click();
    await page.getByRole('button', { name: 'Sign in…' }).waitFor();
  });
});

test('a 401 from before signing in does not end the session begun meanwhile', async () => {
  await using browser = await openBrowser(service.url);
  const { page } = browser;
  await page.addInitScript("sessionStorage.setItem('inspection-exchange:key', '')");
  await page.goto(`${service.url}/graphql?query=${encodeURIComponent('{ viewer { name } }')}`);
  const late = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('viewer')) return route.fallback();
    asked.resolve();
    const response = await route.fetch();
    await late.promise;
    await route.fulfill({ response });
  });
  await page.locator('.graphiql-execute-button').click();
  await asked.promise;
  await fill(page);
  await submit(page);
  await signOut(page).waitFor();
  const answered = page.waitForResponse((response) => response.status() === 401);
  late.resolve();
  await answered;
  await page.locator('.result-window').getByText('UNAUTHENTICATED').waitFor();
  expect(await signOut(page).isVisible()).toBe(true);
  expect(await page.getByText('The session has ended').count()).toBe(0);
});

test.each([
  ['the clock is ahead', `Date.now = () => ${Date.now() + 48 * 60 * 60_000}`],
  [
    'the browser has no room',
    `const set = Storage.prototype.setItem; Storage.prototype.setItem = function (...item) {
      if (this === localStorage) throw new DOMException('full', 'QuotaExceededError');
      return set.apply(this, item);
    }`,
  ],
])('signing out is offered if %s', async (_where, script) => {
  await using browser = await openBrowser(service.url);
  const { page, context } = browser;
  await page.goto(`${service.url}/dashboard`);
  await page.locator('#jobs h2').waitFor();
  await page.evaluate(script);
  await fill(page);
  await submit(page);
  await signOut(page).click();
  await page.getByRole('button', { name: 'Sign in…' }).waitFor();
  expect(await context.cookies()).toEqual([]);
});

test('a double click signs in once', async () => {
  await using browser = await openBrowser(service.url);
  const { page } = browser;
  await page.goto(`${service.url}/dashboard`);
  await page.locator('#jobs h2').waitFor();
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().endsWith(SESSION)) asked += 1;
  });
  await fill(page);
  await page.getByRole('button', { name: 'Sign in', exact: true }).dblclick();
  await signOut(page).waitFor();
  expect(asked).toBe(1);
});

test('a cancelled sign-in is over, and another one can follow at once', async () => {
  await using browser = await open();
  const { page } = browser;
  await page.locator('#jobs h2').waitFor();
  const asked = Promise.withResolvers<void>();
  const never = Promise.withResolvers<void>();
  const unanswered = async () => {
    asked.resolve();
    await never.promise;
  };
  await page.route(`**${SESSION}`, unanswered, { times: 1 });
  await fill(page);
  await submit(page);
  await asked.promise;
  await page.keyboard.press('Escape');
  await fill(page);
  await submit(page);
  await signOut(page).waitFor();
});

test('a failed sign-in says why, whoever answers', async () => {
  await using browser = await open();
  const { page } = browser;
  await fill(page);
  for (const [answer, said] of [
    [problem(503, 'The database is away.'), 'The database is away.'],
    [ofProxy, 'The service cannot be reached just now (502); try again.'],
    [nothing, 'The service cannot be reached; try again.'],
  ] as const) {
    await answerWith(page, answer);
    await submit(page);
    await page.locator('#sign-in').getByText(said, { exact: true }).waitFor();
  }
  await answerWith(page);
  await submit(page);
  await signOut(page).waitFor();
});
