import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { v7 as newId } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { seedDemo } from '../src/demo/seed.ts';
import { graphiqlPage } from '../src/graphiql.ts';
import { createLog } from '../src/log.ts';
import { connectStores } from '../src/store/stores.ts';

const DARK = 'rgb(33, 42, 59)';
const WHITE = 'rgb(255, 255, 255)';
function browser(): string {
  const binary = process.env.CHROMIUM_BINARY ?? '/usr/bin/chromium';
  if (!existsSync(binary)) throw new Error(`There is no Chromium at ${binary}: name one in CHROMIUM_BINARY.`);
  return binary;
}

describe('GraphiQL at /graphql', () => {
  let server: Served;
  let profile: string;
  let context: BrowserContext;
  let page: Page;
  let faults: string[];

  beforeAll(async () => {
    server = await serve();
    profile = mkdtempSync(join(tmpdir(), 'chromium-'));
  });
  afterAll(async () => {
    await server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  beforeEach(async () => {
    const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'];
    context = await chromium.launchPersistentContext(mkdtempSync(join(profile, 'user-')), {
      executablePath: browser(),
      headless: true,
      args: [...quiet, '--disable-background-networking', '--disable-component-update'],
    });
    faults = [];
    context.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(server.origin) && !url.startsWith('data:')) faults.push(`asked ${url}`);
    });
    context.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    context.on('weberror', (error) => faults.push(error.error().message));
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const open = async (): Promise<void> => {
    await page.goto(`${server.origin}/graphql`);
    await page.locator('.graphiql-doc-explorer-content, .graphiql-execute-button').first().waitFor();
  };
  const run = (): Promise<void> => page.locator('.graphiql-execute-button').click();
  const result = (text: string): Promise<void> =>
    page.locator('.result-window', { hasText: text }).waitFor({ timeout: 10_000 });

  test('opens with an example that answers with the first demo key, from our own files alone', async () => {
    await open();
    expect(await page.locator('#key').inputValue()).toBe('demo-client-key');
    const asked = page.waitForRequest((request) => request.postData()?.includes('NewestJobs') ?? false);
    await run();
    expect((await asked).headers().authorization).toBe('Bearer demo-client-key');
    await result('"transports"');
    expect(faults).toEqual([]);
  });

  test('says that a key is refused, and forgets it when another is chosen', async () => {
    await open();
    await page.locator('#key').fill('wrong');
    await page.locator('#key').press('Enter');
    await page.getByText('The service refused this API key (401)').waitFor();
    await page.locator('#callers').selectOption('demo-vendor-key');
    await run();
    await result('"transports"');
    expect(await page.locator('#state').textContent()).toBe('');
    expect(await page.locator('#key').inputValue()).toBe('demo-vendor-key');
  });

  test('remembers a key in its tab alone', async () => {
    await open();
    await page.locator('#callers').selectOption('demo-vendor-key');
    await page.reload();
    expect(await page.locator('#key').inputValue()).toBe('demo-vendor-key');
    const other = await context.newPage();
    await other.goto(`${server.origin}/graphql`);
    expect(await other.locator('#key').inputValue()).toBe('demo-client-key');
  });

  test('is dark or light as the system is', async () => {
    const background = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.querySelector("#credential").parentElement).backgroundColor');
    await page.emulateMedia({ colorScheme: 'dark' });
    await open();
    expect(await background()).toBe(DARK);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await background()).toBe(WHITE);
  });

  test('serves its files with their type, to be kept for ever, and the page to browsers alone', async () => {
    const html = await (await fetch(`${server.origin}/graphql`, { headers: { accept: 'text/html' } })).text();
    const files = [...html.matchAll(/(?:src|href)="(\/graphiql\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(files).toHaveLength(6);
    for (const path of files) {
      const { status, headers } = await fetch(server.origin + path);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable']);
      expect(headers.get('content-type')).toBe(`text/${path.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`);
    }
    const json = await fetch(`${server.origin}/graphql?query={__typename}`, {
      headers: { authorization: 'Bearer demo-client-key' },
    });
    expect(await json.json()).toEqual({ data: { __typename: 'Query' } });
  });

  test('offers no key where there are no demo keys, and quotes what it is given', () => {
    expect(graphiqlPage({ keys: [] })).toContain('value=""></label>');
    expect(graphiqlPage({ keys: [] }).match(/<option/g)).toHaveLength(1);
    expect(graphiqlPage({ keys: [{ key: '"k', label: '<b>&' }] })).toContain(
      '<option value="&quot;k">&lt;b>&amp;</option>',
    );
  });
});
