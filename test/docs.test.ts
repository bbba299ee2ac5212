import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../rest-compat/endpoints.ts';

const root = join(import.meta.dirname, '..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('docs/*.md', { cwd: root })];

describe('the pages', () => {
  it.each(pages)('%s leads only to files and headings that are there', (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!\w+:)([^)#]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, file = '', heading]) => {
      const target = file === '' ? page : join(dirname(page), file);
      return !existsSync(join(root, target)) || (heading !== undefined && !headingsOf(target).includes(heading));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it.each(pages)('%s names only files that are there', (page) => {
    const named = [...textOf(page).matchAll(/`((?:src|schema|rest-compat|test|scripts|bench|docs|web)\/[\w./-]*)`/g)];
    expect(named.map(([, file = '']) => file).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it.each(pages)('%s holds no trace of an unfinished merge', (page) => {
    expect(textOf(page).match(/^(<<<<<<<|>>>>>>>|=======$).*/gm)).toBeNull();
  });

  it.each(pages)('%s names only npm scripts that are there', (page) => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const named = [...textOf(page).matchAll(/npm (?:run )?(start|test|(?<=run )[\w-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

describe('docs/spec-gaps.md', () => {
  it('names endpoints that are there, and those to come as such', () => {
    const ids = endpoints.map(({ id }) => id);
    const exists = (named: string) => {
      const pattern = new RegExp(`^${named.replaceAll('.', '\\.').replaceAll('*', '.+')}$`);
      return ids.some((id) => pattern.test(id));
    };
    const cells = [...textOf('docs/spec-gaps.md').matchAll(/^\|.*\|(.*)\|$/gm)].map(([, cell = '']) => cell);
    const named = cells.map((cell) => {
      const [now = '', later = ''] = cell.split('*later*');
      return { now: idsIn(now), later: idsIn(later) };
    });
    expect(named.flatMap(({ now }) => now).filter((id) => !exists(id))).toEqual([]);
    expect(named.flatMap(({ later }) => later).filter(exists)).toEqual([]);
  });
});

const idsIn = (cell: string): string[] => [...cell.matchAll(/`([\w.*]+)`/g)].map(([, id = '']) => id);

/** The anchors of a page's headings, as GitHub makes them. */
function headingsOf(file: string): string[] {
  return [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
