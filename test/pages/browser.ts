import { existsSync } from 'node:fs';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

/** A fresh browser profile; `await using` closes it. */
export interface Browser extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Requests to hosts other than the service's, and console errors. */
  readonly faults: readonly string[];
}

/** This worker's one Chromium, which Playwright ends with it; contexts are isolated from each other. */
let chromiumOfWorker: ReturnType<typeof launch> | undefined;

/** Opens a page for the service at `url`, in its own context. */
export async function openBrowser(url: string): Promise<Browser> {
  chromiumOfWorker ??= launch();
  const context = await (await chromiumOfWorker).newContext();
  context.setDefaultTimeout(60_000); // however busy the machine is
  const faults: string[] = [];
  context.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(url) && !/^(?:data|blob):/.test(asked)) faults.push(`asked ${asked}`);
  });
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  context.on('weberror', (error) => faults.push(error.error().message));
  return {
    context,
    page: await context.newPage(),
    faults,
    [Symbol.asyncDispose]: () => context.close(),
  };
}

function launch() {
  const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'];
  return chromium.launch({
    executablePath: binary(),
    headless: true,
    args: [...quiet, '--disable-background-networking', '--disable-component-update'],
  });
}

function binary(): string {
  const found = process.env.CHROMIUM_BINARY ?? '/usr/bin/chromium';
  if (!existsSync(found)) throw new Error(`There is no Chromium at ${found}: name one in CHROMIUM_BINARY.`);
  return found;
}
