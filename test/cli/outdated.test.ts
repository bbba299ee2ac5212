import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { behindLines, deprecatedLines, packageNews } from '../../src/cli/development/outdated.ts';

const folder = mkdtempSync(join(tmpdir(), 'exchange-npm-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

/** The first npm found prints that, and exits with the code. */
function npmSays(text: string, code: number): void {
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho '${text}'\nexit ${code}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', [folder, dirname(process.execPath), process.env.PATH].join(':'));
}

describe('npm run check -- --outdated', () => {
  it('names packages with a later latest version, and no tag that points back', () => {
    const lines = behindLines({
      pino: { current: '10.4.0', latest: '10.12.0' },
      graphql: { current: '17.1.0', latest: '16.15.0' },
      cookie: { current: '2.0.2', latest: '2.0.2' },
      uuid: [{ current: '9.0.0', latest: '14.0.3' }],
    });
    expect(lines).toEqual(['outdated: pino 10.4.0, latest 10.12.0', 'outdated: uuid 9.0.0, latest 14.0.3']);
  });

  it('runs npm, which exits with 1 when a package is behind', async () => {
    npmSays(JSON.stringify({ pino: { current: '10.4.0', latest: '11.0.0' } }), 1);
    expect(await packageNews()).toContain('outdated: pino 10.4.0, latest 11.0.0');
    for (const nothing of ['', '{}']) {
      npmSays(nothing, 0);
      expect((await packageNews()).filter((line) => line.startsWith('outdated'))).toEqual([]);
    }
  });

  it.each([
    ['{"error":{"code":"ENOTFOUND"}}', 1],
    ['npm error code ENOTFOUND', 1],
  ])('says that nothing is known if npm did not reach its registry: %s', async (text, code) => {
    npmSays(text, code);
    expect(await packageNews()).toContain('outdated: not known, since npm did not reach its registry');
  });

  it('names deprecated packages, wherever they come from', () => {
    const packages = {
      '': { version: '0.1.0' },
      'node_modules/a': { version: '1.0.0' },
      'node_modules/a/node_modules/@x/old': { version: '2.0.0', deprecated: 'use new' },
    };
    expect(deprecatedLines(packages)).toEqual(['deprecated: @x/old 2.0.0: use new']);
  });
});
