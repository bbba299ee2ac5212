import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { kindOf } from '../../rest-compat/sources/source-kinds.ts';
import { DATA_API_FORMS } from '../../src/model/data-api/data-api-job.ts';
import { DOCUMENT_TYPES } from '../../src/model/document-types.ts';
import { ENTITY_TYPES } from '../../src/model/entity/entity-types.ts';
import { GRADE_KINDS } from '../../src/model/reference-data/grade-kinds.ts';
import { REFERENCE_TYPES } from '../../src/model/reference-data/reference-types.ts';

const root = join(import.meta.dirname, '..', '..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', ...globSync('docs/*.md', { cwd: root })];

describe('the pages', () => {
  it.each(pages)('%s links only to existing files and headings', (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!\w+:)([^)#]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, file = '', heading]) => {
      const target = file === '' ? page : join(dirname(page), file);
      return !existsSync(join(root, target)) || (heading !== undefined && !headingsOf(target).includes(heading));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it.each(pages)('%s names only existing files', (page) => {
    const named = [...textOf(page).matchAll(/`((?:src|schema|rest-compat|test|scripts|bench|docs|web)\/[\w./-]*)`/g)];
    expect(named.map(([, file = '']) => file).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it.each(['operations', 'graphql', 'security'])('docs/%s.md lists all of its sections at the top', (name) => {
    const [top = '', ...sections] = textOf(`docs/${name}.md`).split(/^## /m);
    const listed = [...top.matchAll(/^- \[([^\]]+)\]\(#/gm)].map(([, title = '']) => title);
    const titles = sections.map((section) => section.split('\n')[0] ?? '');
    expect(listed).toEqual(titles);
  });

  it.each(pages)('%s has no leftover merge conflict', (page) => {
    expect(textOf(page).match(/^(<<<<<<<|>>>>>>>|=======$).*/gm)).toBeNull();
  });

  it.each(pages)('%s names only existing npm scripts', (page) => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const named = [...textOf(page).matchAll(/npm (?:run )?(start|test|(?<=run )[\w-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

describe('references in the sources', () => {
  const sources = globSync('{src,schema,rest-compat,test,bench}/**/*.ts', { cwd: root });
  const cited = (pattern: RegExp) =>
    sources.flatMap((file) => [...textOf(file).matchAll(pattern)].map(([, what = '']) => ({ file, what })));

  it('to "contract §n" match a section of docs/contract.md', () => {
    const sections = [...textOf('docs/contract.md').matchAll(/^## §(\d+) /gm)].map(([, number = '']) => number);
    const numbers = cited(/contract[\s*]+(§\d+(?:(?:,| and) §\d+)*)/gi).flatMap(({ file, what }) =>
      [...what.matchAll(/\d+/g)].map(([number]) => ({ file, number })),
    );
    expect(sections).toEqual(Array.from({ length: 16 }, (_, index) => String(index + 1)));
    expect(numbers.length).toBeGreaterThan(50);
    expect(numbers.filter(({ number }) => !sections.includes(number))).toEqual([]);
  });

  it('to titles of the interface match a heading of docs/interface.md', () => {
    const headings = [...textOf('docs/interface.md').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
    const titles = cited(/interface,[\s*]+"([^"]+)"/g);
    expect(titles.length).toBeGreaterThan(40);
    expect(titles.filter(({ what }) => !headings.includes(what.replaceAll(/[\s*]+/g, ' ')))).toEqual([]);
  });
});

describe('docs/interface.md', () => {
  const page = textOf('docs/interface.md');

  it('lists every endpoint, and none that is not served', () => {
    const rows = [...page.matchAll(/^\| ([A-Z, ]+) \| (`\/.*?`) \|/gm)];
    const listed = rows.flatMap(([, methods = '', paths = '']) =>
      methods
        .split(', ')
        .flatMap((method) => paths.split('<br>').map((path) => `${method} ${path.replaceAll('`', '')}`)),
    );
    expect(listed.sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('names every API as its OpenAPI document does, and links to that', () => {
    const rows = [...page.matchAll(/^\| ([^|]+) \| `(\/\S+)` \|.*\| `(\/openapi\/\S+)` \|$/gm)];
    const families = [...new Set(endpoints.map(({ family }) => family))];
    expect(rows.map(([, ...cells]) => cells).sort()).toEqual(
      families.map(({ name, title, base }) => [title, base || '/workspaces', `/openapi/${name}.json`]).sort(),
    );
  });

  it('names every query parameter, and every member of changes, webhooks and deliveries', () => {
    const parameters = endpoints.flatMap(({ variables }) =>
      Object.values(variables).flatMap((source) => kindOf(source).parameterNames?.(source) ?? []),
    );
    const replies = endpoints.filter(({ id }) => /^v2\.(changes|webhooks)\./.test(id)).map(({ reply }) => reply);
    const members = replies.flatMap((reply) => {
      const views =
        'views' in reply ? [reply.view, ...Object.values(reply.views)] : 'view' in reply ? [reply.view] : [];
      return views.flatMap((view) => (typeof view === 'string' ? [] : Object.keys(view)));
    });
    const names = new Set([...parameters, ...members]);
    expect(names.size).toBeGreaterThan(40);
    expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('names every field of every body, and every grade type', () => {
    const types = [...DOCUMENT_TYPES, ...ENTITY_TYPES, ...REFERENCE_TYPES, ...Object.values(DATA_API_FORMS)];
    const fields = new Set(types.flatMap(({ schema }) => fieldsOf(schema)));
    expect(fields.size).toBeGreaterThan(100);
    expect([...fields].filter((field) => !new RegExp(`[\`.{, ]${field}\\b`).test(page))).toEqual([]);
    expect(GRADE_KINDS.filter(({ code }) => !page.includes(`\`${code}\``))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  it('walks through three requests, by existing files', () => {
    const [, ...walks] = textOf('docs/architecture.md').split(/^### Walk: /m);
    const steps = walks.map((walk) => {
      const rows = (walk.split(/^## /m)[0] ?? '').matchAll(/^\| \d+ \| `([^`]+)` \|/gm);
      return [...rows].map(([, file = '']) => file);
    });
    expect(steps.map(({ length }) => length > 8)).toEqual([true, true, true]);
    expect(steps.flat().filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

describe('docs/architecture.md, "Folders" and "Data"', () => {
  const page = textOf('docs/architecture.md');
  const section = (heading: string) => page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

  it('names every layer, and every part of the domain, the store, the model and GraphQL', () => {
    const folders = globSync('{src,schema,rest-compat}/**/*.ts', { cwd: root }).flatMap((file) => {
      const [top = '', ...below] = dirname(file).split('/');
      return [top, ...below.slice(0, ['domain', 'store', 'model', 'graphql'].includes(below[0] ?? '') ? 2 : 1)];
    });
    const told = section('Folders');
    expect([...new Set(folders)].filter((folder) => !new RegExp(`(?<![\\w-])${folder}/`).test(told))).toEqual([]);
  });

  it('names every collection', () => {
    const own = globSync('src/store/**/*.ts', { cwd: root }).filter((file) => !file.includes('/sharding/'));
    const stores = own.map(textOf);
    const used = stores.flatMap((text) => [...text.matchAll(/\.collection(?:<[^(]+>)?\('([\w.]+)'/g)]);
    const indexed = [...textOf('src/store/indexes/indexes.ts').matchAll(/^ {2}'?([\w.]+)'?: \[/gm)];
    const names = new Set([...used, ...indexed].map(([, name = '']) => name));
    expect(names.size).toBeGreaterThan(20);
    expect([...names].filter((name) => !section('Data').includes(`\`${name}\``))).toEqual([]);
  });
});

describe('docs/spec-gaps.md', () => {
  it('names existing endpoints, and marks planned ones as such', () => {
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

/** The names of all members in a JSON Schema, at any depth. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const names = 'properties' in schema ? Object.keys(schema.properties ?? {}) : [];
  return [...names, ...Object.values(schema).flatMap(fieldsOf)];
}

/** The anchors of a page's headings, as generated by GitHub. */
function headingsOf(file: string): string[] {
  return [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
