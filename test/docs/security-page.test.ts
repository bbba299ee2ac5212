import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'security.md'), 'utf8');
const testsIn = (cell: string) => [...cell.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);

/** Rows of risks and attacks: name, outcome, and tests. */
const points = [...page.matchAll(/^\| (API\d+|\d+)(?: [^|]*)? \| (?:.*) \| ([^|]*) \|$/gm)];
/** Rows of ASVS: requirements, status, what the service does, and tests. */
const requirements = [...page.matchAll(/^\| (V[\d., V]+) \| ([^|]+) \| (.+) \| ([^|]*)\|$/gm)];

/** The requirements of levels 1 and 2 of ASVS 5.0.0: the numbers in each section. */
const LEVEL_2 = [
  '1.1.1/2 1.2.1/2/3/4/5/6/7/8/9 1.3.1/2/3/4/5/6/7/8/9/10/11 1.4.1/2/3 1.5.1/2',
  '2.1.1/2/3 2.2.1/2/3 2.3.1/2/3/4 2.4.1',
  '3.2.1/2 3.3.1/2/3/4 3.4.1/2/3/4/5/6 3.5.1/2/3/4/5 3.7.1/2',
  '4.1.1/2/3 4.2.1 4.3.1/2 4.4.1/2/3/4',
  '5.1.1 5.2.1/2/3 5.3.1/2 5.4.1/2/3',
  '6.1.1/2/3 6.2.1/2/3/4/5/6/7/8/9/10/11/12 6.3.1/2/3/4 6.4.1/2/3/4 6.5.1/2/3/4/5 6.6.1/2/3 6.8.1/2/3/4',
  '7.1.1/2/3 7.2.1/2/3/4 7.3.1/2 7.4.1/2/3/4/5 7.5.1/2 7.6.1/2',
  '8.1.1/2 8.2.1/2/3 8.3.1 8.4.1',
  '9.1.1/2/3 9.2.1/2/3/4',
  '10.1.1/2 10.2.1/2 10.3.1/2/3/4 10.4.1/2/3/4/5/6/7/8/9/10/11 10.5.1/2/3/4/5 10.6.1/2 10.7.1/2/3',
  '11.1.1/2 11.2.1/2/3 11.3.1/2/3 11.4.1/2/3/4 11.5.1 11.6.1',
  '12.1.1/2/3 12.2.1/2 12.3.1/2/3/4',
  '13.1.1 13.2.1/2/3/4/5 13.3.1/2 13.4.1/2/3/4/5',
  '14.1.1/2 14.2.1/2/3/4 14.3.1/2/3',
  '15.1.1/2/3 15.2.1/2/3 15.3.1/2/3/4/5/6/7',
  '16.1.1 16.2.1/2/3/4/5 16.3.1/2/3/4 16.4.1/2/3 16.5.1/2/3',
].flatMap((chapter) =>
  chapter.split(' ').flatMap((section) => {
    const [, prefix, numbers = ''] = /^(\d+\.\d+)\.(.*)$/.exec(section) ?? [];
    return numbers.split('/').map((number) => `V${prefix}.${number}`);
  }),
);

describe('docs/security.md', () => {
  it('has all of the ten risks, and each of the 24 attacks tried', () => {
    const names = points.map(([, point = '']) => point);
    expect(names.filter((name) => name.startsWith('API'))).toEqual(Array.from({ length: 10 }, (_, n) => `API${n + 1}`));
    expect(names.flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []))).toEqual(
      Array.from({ length: 24 }, (_, n) => n + 1),
    );
  });

  it('has each requirement of level 2 once', () => {
    const listed = requirements.flatMap(([, names = '']) => names.split(', '));
    expect(LEVEL_2).toHaveLength(246);
    expect(listed.toSorted()).toEqual(LEVEL_2.toSorted());
  });

  it('names existing tests for each point that is met', () => {
    const rows = [
      ...points.map(([, point, held = '']) => ({ point, status: 'met', held })),
      ...requirements.map(([, point, status = '', , held = '']) => ({ point, status, held })),
    ];
    for (const { point, status, held } of rows) {
      expect(['met', 'partly', 'no', 'deployment', 'n/a']).toContain(status);
      const files = testsIn(held);
      if (status === 'met' || status === 'partly') expect([point, files.length > 0]).toEqual([point, true]);
      for (const file of files) expect([file, existsSync(join(root, file))]).toEqual([file, true]);
    }
  });
});
