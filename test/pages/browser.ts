import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

/** A browser of its own, without a past; `await using` ends it. */
export interface Browser extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Requests to another host than the service's, and whatever the console complained of. */
  readonly faults: readonly string[];
}

/** Opens Chromium for the pages of the service at `url`. */
export async function openBrowser(url: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'chromium-'));
  const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'];
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: binary(),
    headless: true,
    args: [...quiet, '--disable-background-networking', '--disable-component-update'],
  });
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
    async [Symbol.asyncDispose]() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function binary(): string {
  const found = process.env.CHROMIUM_BINARY ?? '/usr/bin/chromium';
  if (!existsSync(found)) throw new Error(`There is no Chromium at ${found}: name one in CHROMIUM_BINARY.`);
  return found;
}
