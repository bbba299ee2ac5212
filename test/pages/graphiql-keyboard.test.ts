// May take 20 s: GraphiQL is loaded four times.
import { beforeAll, expect, test } from 'vitest';
import { seedDemo } from '../../src/demo/seed.ts';
import { serviceFixture } from '../service.ts';
import { type Browser, openBrowser } from './browser.ts';

const service = serviceFixture({ records: true });
beforeAll(() => seedDemo(service.stores, () => undefined));

async function openGraphiql(): Promise<Browser> {
  const browser = await openBrowser(service.url);
  await browser.page.goto(`${service.url}/graphql`);
  await browser.page.locator('.graphiql-query-editor .CodeMirror-focused').waitFor();
  return browser;
}

const result = ({ page }: Browser, text: string) => page.locator('.result-window', { hasText: text });

test('Ctrl-Enter runs the first query, and that of a chosen tab', async () => {
  await using browser = await openGraphiql();
  const { page } = browser;
  await page.keyboard.press('Control+Enter');
  await result(browser, '"jobs"').waitFor();
  await page.locator('.graphiql-tab-button', { hasText: 'VesselExperience' }).click();
  await page.locator('.graphiql-query-editor', { hasText: 'query VesselExperience' }).waitFor();
  // GraphiQL updates the operation to run a tenth of a second after a tab is chosen.
  await expect
    .poll(() => page.evaluate('localStorage.getItem("graphiql:operationName")'), { timeout: 20_000 })
    .toBe('VesselExperience');
  await page.keyboard.press('Control+Enter');
  await result(browser, 'Silver Petrel').waitFor();
  expect(browser.faults).toEqual([]);
});

test('the keyboard moves through the editors to the end of the page, and back', async () => {
  await using browser = await openGraphiql();
  const { page } = browser;
  const focus = (): Promise<string> =>
    page.evaluate(
      '[".graphiql-query-editor .CodeMirror", ".graphiql-editor-tool", ".graphiql-response", "#key", ".graphiql-execute-button"].find((part) => document.activeElement.closest(part)) ?? ""',
    );
  const pressUntil = async (key: string, part: string): Promise<void> => {
    for (let presses = 0; presses < 40 && (await focus()) !== part; presses += 1) await page.keyboard.press(key);
    expect(await focus()).toBe(part);
  };
  const text = await page.locator('.graphiql-query-editor').textContent();
  for (const part of ['.graphiql-execute-button', '.graphiql-editor-tool', '.graphiql-response', '#key'])
    await pressUntil('Tab', part);
  for (const part of ['.graphiql-response', '.graphiql-editor-tool', '.graphiql-query-editor .CodeMirror', '#key'])
    await pressUntil('Shift+Tab', part);
  expect(await page.locator('.graphiql-query-editor').textContent()).toBe(text);
  await page.getByRole('button', { name: 'Open short keys dialog' }).click();
  await page.getByText('sublime, but Tab leaves the editor').waitFor();
});

test.each([320, 400])('editor and result are stacked at %i px, with or without the documentation', async (width) => {
  await using browser = await openGraphiql();
  const { page } = browser;
  await page.setViewportSize({ width, height: 800 });
  await page.keyboard.press('Control+Enter');
  await result(browser, '"jobs"').waitFor();
  const boxOf = async (part: string) => {
    const box = await page.locator(part).boundingBox();
    if (!box) throw new Error(`${part} is not shown`);
    return box;
  };
  const isReadable = async (): Promise<void> => {
    const [editors, tools, shown] = [
      await boxOf('.graphiql-editors'),
      await boxOf('.graphiql-editor-tools'),
      await boxOf('.result-window'),
    ];
    for (const box of [editors, shown]) {
      expect(box.width).toBeGreaterThan(width - 90);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.height).toBeGreaterThan(180);
    }
    expect(tools.y + tools.height).toBeLessThanOrEqual(shown.y + 1);
    expect(editors.y + editors.height).toBeLessThanOrEqual(shown.y + 1);
  };
  await isReadable();
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.locator('.graphiql-doc-explorer-content').waitFor();
  await isReadable();
  expect((await boxOf('.graphiql-plugin')).width).toBeGreaterThan(width - 90);
});
