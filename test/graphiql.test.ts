import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { buildSchema, GraphQLError } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { graphiql, graphiqlAssets, graphiqlPage } from '../src/graphiql.ts';

const KEYS = [
  { key: 'demo-client-key', label: 'Cargo owner' },
  { key: 'demo-observer-key', label: 'Observer' },
];
const DARK = 'rgb(33, 42, 59)';
const WHITE = 'rgb(255, 255, 255)';
const schema = buildSchema(`
  type Record { name: String xref: String }
  type Cargo { product: Record quantity: Float uom: Record }
  type Job { id: ID! refNumber: String status: String activity: String eta: String location: Record
    transports: [Record!] cargo: Cargo client: Record vendor: Record }
  type Jobs { totalCount: Int! nodes: [Job!]! }
  type Query { jobs(first: Int): Jobs! }`);
const jobs = { totalCount: 1, nodes: [{ id: '1', refNumber: 'R-1', transports: [{ name: 'Aurora Borealis' }] }] };

function serve(): Promise<{ origin: string; close(): Promise<void> }> {
  const access: Plugin = {
    onExecute: ({ args, setResultAndStopExecution }) => {
      const credential = args.contextValue.request.headers.get('authorization');
      args.rootValue = { jobs };
      if (KEYS.some(({ key }) => credential === `Bearer ${key}`)) return;
      const extensions = { code: 'UNAUTHENTICATED', http: { status: 401 } };
      setResultAndStopExecution({ errors: [new GraphQLError('No such key.', { extensions })] });
    },
  };
  const yoga = createYoga({ schema, logging: false, graphiql: false, plugins: [access] });
  const app = express()
    .use(graphiqlAssets())
    .use('/graphql', graphiql({ keys: KEYS }), yoga);
  const server = createServer(app);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      resolve({ origin, close: () => new Promise((closed) => server.close(() => closed())) });
    });
  });
}

function browser(): string {
  const binary = process.env.CHROMIUM_BINARY ?? '/usr/bin/chromium';
  if (!existsSync(binary)) throw new Error(`There is no Chromium at ${binary}: name one in CHROMIUM_BINARY.`);
  return binary;
}

describe('GraphiQL at /graphql', () => {
  let server: Awaited<ReturnType<typeof serve>>;
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
    await result('Aurora Borealis');
    expect(faults).toEqual([]);
  });

  test('says that a key is refused, and forgets it when another is chosen', async () => {
    await open();
    await page.locator('#key').fill('wrong');
    await page.locator('#key').press('Enter');
    await page.getByText('The service refused this API key (401)').waitFor();
    await page.locator('#callers').selectOption('Observer');
    await run();
    await result('Aurora Borealis');
    expect(await page.locator('#state').textContent()).toBe('');
    expect(await page.locator('#key').inputValue()).toBe('demo-observer-key');
  });

  test('remembers a key in its tab alone', async () => {
    await open();
    await page.locator('#callers').selectOption('Observer');
    await page.reload();
    expect(await page.locator('#key').inputValue()).toBe('demo-observer-key');
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
