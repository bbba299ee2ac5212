import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'security.md'), 'utf8');
const rows = [...page.matchAll(/^\| (API\d+|V[\d., V]+|\d+)(?: [^|]*)? \| (?:.*) \| ([^|]*) \|$/gm)];

describe('docs/security.md', () => {
  it('has all of the ten risks, and the sections of eight chapters', () => {
    const points = rows.map(([, point = '']) => point);
    expect(points.filter((point) => point.startsWith('API'))).toEqual(
      Array.from({ length: 10 }, (_, index) => `API${index + 1}`),
    );
    const chapters = new Set(points.flatMap((point) => /^V(\d+)/.exec(point)?.[1] ?? []));
    for (const chapter of ['2', '5', '6', '7', '8', '9', '13', '16']) expect(chapters).toContain(chapter);
  });

  it('has each of the 24 attacks that were tried', () => {
    const attacks = rows.flatMap(([, point = '']) => (/^\d+$/.test(point) ? [Number(point)] : []));
    expect(attacks).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
  });

  it('names, in each row, tests that are there', () => {
    for (const [, point, held = ''] of rows) {
      const files = [...held.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
      expect([point, files.length > 0]).toEqual([point, true]);
      for (const file of files) expect([file, existsSync(join(root, file))]).toEqual([file, true]);
    }
  });
});
