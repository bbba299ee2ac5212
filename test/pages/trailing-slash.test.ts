// May take 20 s: a browser opens each page.
import { expect, test } from 'vitest';
import { DEMO } from '../auth/sign-in.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { openBrowser } from './browser.ts';

const service = serviceFixture();

test.each(['dashboard', 'docs', 'graphql'])(
  '/%s/ sends the same requests as the page without the slash',
  async (name) => {
    await makeWorkspace(service, 'Baltic Sea');
    await using browser = await openBrowser(service.url);
    const { page } = browser;
    await page.goto(`${service.url}/${name}/?document=%2Fopenapi%2Freference.json`);
    if (name === 'docs') await page.locator('.opblock-tag').first().waitFor();
    await page.getByRole('button', { name: 'Sign in…' }).click();
    await page.locator('[name=username]').fill(DEMO.username);
    await page.locator('[name=password]').fill(DEMO.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: `Sign out ${DEMO.username}` }).waitFor();
    if (name === 'dashboard') {
      await page.locator('select[name=workspace] option', { hasText: 'Baltic Sea' }).waitFor({ state: 'attached' });
      await page.locator('#jobs[aria-busy=false] .more a').waitFor();
      expect(await page.locator('#jobs .more a').getAttribute('href')).toContain(`${service.url}/graphql?`);
    }
    if (name === 'docs') expect(await page.locator('.servers option').allTextContents()).toEqual([service.url]);
    if (name === 'graphql') {
      const isAnswered = page.waitForResponse((response) => response.url() === `${service.url}/graphql`);
      await page.locator('.graphiql-execute-button').click();
      expect((await isAnswered).status()).toBe(200);
    }
    expect(browser.faults).toEqual([]);
  },
);
