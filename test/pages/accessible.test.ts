// May take 20 s: GraphiQL and Swagger UI are loaded twice each, and every element they show is checked.
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { openBrowser } from './browser.ts';

const service = serviceFixture({ records: true });
beforeAll(async () => {
  const { id } = await makeWorkspace(service);
  const body = { refNumber: 'R-1', isPerformed: true, cargo: { quantity: 31250.5 }, transports: [{ name: 'Aurora' }] };
  expect((await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body })).status).toBe(201);
});

/** Rules the libraries break by their structure, which no stylesheet can fix. */
const BROKEN = {
  // Tabs contain their buttons; CodeMirror is scrolled by the text box beside the scrolled part.
  graphiql: ['nested-interactive', 'scrollable-region-focusable'],
  // Operations contain links; what precedes them is in no landmark; bodies, answers and the example picker have no accessible name.
  swagger: [
    ...['heading-order', 'label', 'landmark-unique', 'nested-interactive', 'region', 'scrollable-region-focusable'],
    'select-name',
  ],
};

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** axe's violations on the page as shown, or in a part of it, best practices included. */
async function violationsIn(page: Page, broken: readonly string[], part = 'html'): Promise<string[]> {
  await page.evaluate(axe.source);
  const rules = Object.fromEntries(broken.map((rule) => [rule, { enabled: false }]));
  const options = JSON.stringify({ rules, selectors: false, resultTypes: ['violations'] });
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(part)}, ${options})`)) as {
    violations: Violation[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

describe.each(['light', 'dark'] as const)('in the %s scheme', (colorScheme) => {
  async function open(path: string) {
    const browser = await openBrowser(service.url);
    await browser.page.setViewportSize({ width: 1400, height: 1600 });
    await browser.page.emulateMedia({ colorScheme });
    await browser.page.goto(service.url + path);
    return browser;
  }

  test('every text of /graphql is readable, and every editor has a name', async () => {
    await using browser = await open('/graphql');
    const { page } = browser;
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.result-window', { hasText: '"jobs"' }).waitFor();
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.locator('.graphiql-doc-explorer-content').waitFor();
    for (const tool of ['Headers', 'Variables']) {
      await page.locator('.graphiql-editor-tools').getByRole('button', { name: tool }).click();
      for (const name of ['Query', tool, 'Result']) await page.getByRole('textbox', { name, exact: true }).waitFor();
    }
    expect(await violationsIn(page, BROKEN.graphiql)).toEqual([]);
  });

  test('every text of /docs is readable, and it has one main landmark', async () => {
    await using browser = await open('/docs?document=%2Fopenapi%2Fbridge.json');
    const { page } = browser;
    await page.locator('[data-tag="Jobs"]').click();
    for (const id of ['bridge.jobs.list', 'bridge.jobs.create']) {
      const operation = page.locator('.opblock', { has: page.locator(`[href$="/${id}"]`) });
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      await operation.locator('.live-responses-table .response-col_status').first().waitFor();
    }
    expect(await page.getByRole('main').count()).toBe(1);
    expect(await violationsIn(page, BROKEN.swagger)).toEqual([]);
  });
});

test('the links at the top of /docs are readable', async () => {
  await using browser = await openBrowser(service.url);
  await browser.page.goto(`${service.url}/docs`);
  await browser.page.locator('.info a').first().waitFor();
  expect(await violationsIn(browser.page, BROKEN.swagger, '.info')).toEqual([]);
});
