import { describe, expect, test } from 'vitest';
import { cookieIn, DEMO } from '../auth/sign-in.ts';
import { CALLERS, serviceFixture } from '../service.ts';
import { openBrowser } from './browser.ts';

const closed = serviceFixture({ env: { PUBLIC_DOCS: '0' } });
const PAGES = ['/docs', '/graphql'];
const DOCUMENTS = ['/openapi.json', '/openapi/v2.json', '/openapi/reference.json'];

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${closed.url}${path}`, { headers });
const HTML = { Accept: 'text/html' };

describe('docs closed to strangers', () => {
  test('are 401 for them, as a page for a browser, and as a problem for everyone else', async () => {
    for (const path of PAGES) {
      const answer = await get(path, HTML);
      const page = await answer.text();
      expect([path, answer.status]).toEqual([path, 401]);
      expect(page).toContain('Sign in');
      expect(page).not.toMatch(/demo-|swagger|graphiql/i);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    for (const path of DOCUMENTS) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(await answer.json()).toMatchObject({ code: 'UNAUTHENTICATED', instance: path });
    }
    expect((await get('/openapi.json', { Authorization: 'Bearer unknown' })).status).toBe(401);
  });

  test('are open to keys and to sessions', async () => {
    const Cookie = cookieIn(await signInUndescribed());
    for (const credential of [{ Authorization: `Bearer ${CALLERS.reader}` }, { Cookie }]) {
      for (const path of PAGES) {
        const answer = await get(path, { ...HTML, ...credential });
        expect([path, answer.status, await answer.text()]).toEqual([
          path,
          200,
          expect.stringMatching(/swagger|graphiql/),
        ]);
      }
      for (const path of DOCUMENTS) expect((await get(path, credential)).status).toBe(200);
    }
  });

  test('open in a browser after signing in', async () => {
    await using browser = await openBrowser(closed.url);
    const { page } = browser;
    await page.goto(`${closed.url}/docs?document=%2Fopenapi%2Fv2.json`);
    await page.getByRole('button', { name: 'Sign in…' }).click();
    await page.locator('[name=username]').fill(DEMO.username);
    await page.locator('[name=password]').fill(DEMO.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('.opblock-tag').first().waitFor();
    expect(browser.faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });
});

describe('pages', () => {
  test('tell browsers not to frame them, sniff their type, or send a referrer', async () => {
    for (const path of PAGES) {
      const { headers } = await get(path, HTML);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    }
  });
});

/** The documents that answers are checked against are closed here too. */
async function signInUndescribed() {
  const answer = await fetch(`${closed.url}/api/rest/1.0/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(DEMO),
  });
  return { headers: answer.headers };
}
