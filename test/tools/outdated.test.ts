import { describe, expect, it } from 'vitest';
import { behindLines, deprecatedLines } from '../../src/cli/development/outdated.ts';

describe('npm run check -- --outdated', () => {
  it('names packages whose latest version is a later one, and no tag that points back', () => {
    const lines = behindLines({
      pino: { current: '10.4.0', latest: '10.12.0' },
      graphql: { current: '17.1.0', latest: '16.15.0' },
      cookie: { current: '2.0.2', latest: '2.0.2' },
      uuid: [{ current: '9.0.0', latest: '14.0.3' }],
    });
    expect(lines).toEqual(['outdated: pino 10.4.0, latest 10.12.0', 'outdated: uuid 9.0.0, latest 14.0.3']);
  });

  it('names packages that are deprecated, wherever they come from', () => {
    const packages = {
      '': { version: '0.1.0' },
      'node_modules/a': { version: '1.0.0' },
      'node_modules/a/node_modules/@x/old': { version: '2.0.0', deprecated: 'use new' },
    };
    expect(deprecatedLines(packages)).toEqual(['deprecated: @x/old 2.0.0: use new']);
  });
});
