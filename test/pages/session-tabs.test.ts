// May take 30 s: several browser tabs, in which users follow each other.
import type { Page } from 'playwright-core';
import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO, makeUser } from '../auth/sign-in.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { openBrowser } from './browser.ts';

const service = serviceFixture();
let other: { username: string; password: string };
beforeAll(async () => {
  await makeWorkspace(service, 'Secret of the client');
  other = (await makeUser(service, { tenant: newId() })).signIn;
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
async function signIn(page: Page, { username, password }: { username: string; password: string }): Promise<void> {
  await button(page, 'Sign in…').first().click();
  await page.locator('[name=username]').fill(username);
  await page.locator('[name=password]').fill(password);
  await button(page, 'Sign in').click();
  await button(page, `Sign out ${username}`).waitFor();
}
const signOut = async (page: Page, { username }: { username: string }): Promise<void> => {
  await button(page, `Sign out ${username}`).click();
  await button(page, 'Sign in…').first().waitFor();
};
const secrets = (page: Page) => page.getByText('Secret of the client');
/** Signs in at the dashboard, which then shows the name of a workspace. */
async function showSecrets(page: Page): Promise<void> {
  await page.goto(`${service.url}/dashboard`);
  await signIn(page, DEMO);
  await secrets(page).first().waitFor({ state: 'attached' });
}
/** Waits until the page has reloaded, which clears the mark. */
const mark = (page: Page) => page.evaluate('window.isOld = true');
const isAnew = (page: Page) =>
  expect.poll(() => page.evaluate('!window.isOld').catch(() => false), { timeout: 60_000 }).toBe(true); // not while it loads

describe('signing out leaves nothing of what was shown', () => {
  test('in GraphiQL', async () => {
    await using browser = await openBrowser(service.url);
    const { page } = browser;
    const query = new URLSearchParams({ query: '{ workspaces { nodes { description } } }' });
    await page.goto(`${service.url}/graphql?${query}`);
    await signIn(page, DEMO);
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.result-window').getByText('Secret of the client').waitFor();
    await mark(page);
    await button(page, `Sign out ${DEMO.username}`).click();
    await isAnew(page);
    await signIn(page, other);
    await page.locator('.graphiql-execute-button').waitFor();
    expect(await secrets(page).count()).toBe(0);
  });

  test('in the docs', async () => {
    await using browser = await openBrowser(service.url);
    const { page } = browser;
    await page.goto(`${service.url}/docs?document=%2Fopenapi%2Freference.json`);
    await page.locator('.opblock-tag').first().waitFor();
    await signIn(page, DEMO);
    await mark(page);
    await button(page, `Sign out ${DEMO.username}`).click();
    await isAnew(page);
  });

  test('in a dashboard in another tab, or behind the Back button', async () => {
    await using browser = await openBrowser(service.url);
    const { page, context } = browser;
    await showSecrets(page);
    const tab = await context.newPage();
    await tab.goto(`${service.url}/docs?document=%2Fopenapi%2Freference.json`);
    await tab.locator('.opblock-tag').first().waitFor();
    await mark(page);
    await signOut(tab, DEMO);
    await isAnew(page);
    await signIn(tab, other);
    await button(page, `Sign out ${other.username}`).waitFor();
    expect(await secrets(page).count()).toBe(0);
    await page.evaluate("window.isOld = true; sessionStorage.removeItem('inspection-exchange:key')");
    await page.evaluate((text) => localStorage.setItem('inspection-exchange:session', text), '{"username":"third"}');
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await isAnew(page);
  });
});

test('an ended session is replaced by that of another tab', async () => {
  await using browser = await openBrowser(service.url);
  const { page, context } = browser;
  await showSecrets(page);
  const tab = await context.newPage();
  await tab.goto(`${service.url}/dashboard`);
  await button(tab, `Sign out ${DEMO.username}`).waitFor();
  await context.clearCookies();
  await page.locator('[name=laytime]').fill('48');
  await page.locator('[name=laytime]').press('Enter');
  await page.getByText('The session has ended', { exact: false }).first().waitFor();
  await signIn(tab, DEMO);
  await button(page, `Sign out ${DEMO.username}`).waitFor();
  await expect.poll(() => page.getByText('The session has ended').count(), { timeout: 30_000 }).toBe(0);
  await secrets(page).first().waitFor({ state: 'attached' });
});
