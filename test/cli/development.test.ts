import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import * as check from '../../src/cli/development/check.ts';
import * as operations from '../../src/cli/development/operations.ts';
import * as routes from '../../src/cli/development/routes.ts';
import * as schema from '../../src/cli/development/schema.ts';
import { runCommand } from './run-command.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'exchange-generated-'));
afterAll(() => rmSync(folder, { recursive: true }));

const found = (steps: readonly check.Step[]) => Promise.all(steps.map(async ([name, run]) => [name, await run()]));

describe('npm run check', () => {
  it('finds every generated file of this repository up to date', async () => {
    expect(await found(check.generatedFiles())).toEqual([
      ['schema/schema.graphql', ''],
      ['docs/endpoints.md', ''],
      ['web/dashboard/operations.d.ts', ''],
    ]);
  });

  it('names the command to regenerate a file that is missing or was changed', async () => {
    for (const name of ['schema', 'docs', 'web/dashboard']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'schema/schema.graphql'), 'type Query { changed: Boolean }\n');
    cpSync(join(root, 'docs/endpoints.md'), join(folder, 'docs/endpoints.md'));
    expect(await found(check.generatedFiles(pathToFileURL(`${folder}/`)))).toEqual([
      ['schema/schema.graphql', 'not up to date; `npm run schema` writes it anew'],
      ['docs/endpoints.md', ''],
      ['web/dashboard/operations.d.ts', 'not up to date; `npm run operations` writes it anew'],
    ]);
  });

  it('continues after a failed check, and exits with 1', async () => {
    const steps: readonly check.Step[] = [
      ['style', async () => 'biome check . found problems'],
      ['types', () => Promise.reject(new Error('spawn ENOENT'))],
      ['schema/schema.graphql', async () => ''],
    ];
    const outcome = (some: readonly check.Step[]) =>
      runCommand({ command: { run: () => check.carryOut(some), USAGE: '' }, args: [], env: {} });
    expect(await outcome(steps)).toEqual({
      code: 1,
      stdout: 'schema/schema.graphql: good\n',
      stderr: 'style: biome check . found problems\ntypes: spawn ENOENT\n',
    });
    expect((await outcome(steps.slice(2))).code).toBe(0);
  });
});

describe('a development command', () => {
  it.each([
    ['routes', routes],
    ['check', check],
    ['schema', schema],
    ['operations', operations],
  ])('%s refuses unknown arguments', async (name, command) => {
    expect(await runCommand({ command, args: ['--nosuch'], env: {} })).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^--nosuch is not expected here\\.\n\nUsage:\nnpm run cli -- ${name}`)),
    });
  });
});

describe('npm run routes', () => {
  it("writes each endpoint's scope", async () => {
    const rows = (await routes.endpointsPage()).split('\n').map((line) => line.split(' | '));
    const scopeOf = (id: string) => rows.find((cells) => cells[3] === id)?.[2];
    expect(
      ['bridge.health.get', 'reference.session.get', 'v2.documents.get', 'v2.documents.create', 'v2.webhooks.list'].map(
        scopeOf,
      ),
    ).toEqual(['open', '', 'read', 'write', 'admin']);
  });

  it('prints an aligned line per endpoint: method, path, id and operation', async () => {
    const { code, stdout, stderr } = await runCommand({ command: routes, args: [], env: {} });
    const lines = stdout.trimEnd().split('\n');
    expect([code, stderr, lines.length]).toEqual([0, '', endpoints.length]);
    const column = lines[0]?.indexOf('/') ?? 0;
    for (const [index, line] of lines.entries()) {
      const { method, path, id } = endpoints[index] ?? {};
      expect(line.split(/ {2,}/)).toEqual([method, path, id, expect.stringMatching(/^\w+$/)]);
      expect(line.indexOf('/')).toBe(column);
    }
  });
});
