import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, invalidInput, ServiceError, STATUS_OF } from '../../src/errors.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'errors.md'), 'utf8');
const [table = '', graphql = ''] = page.split('## Requests that GraphQL cannot run');
const rowsOf = (text: string) =>
  [...text.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, code = '', rest = '']) => [code, ...rest.split(' | ')]);

describe('docs/errors.md', () => {
  it('explains every code with its status, and no other', () => {
    const described = rowsOf(table).map(([code, status]) => [code, Number(status)]);
    expect(described).toEqual(Object.entries(STATUS_OF));
  });

  it('says when each occurs and what to do, in sentences', () => {
    for (const [, , when, advice] of rowsOf(table)) {
      expect([when, advice]).toEqual([expect.stringMatching(/^[A-Z`].*\.$/), expect.stringMatching(/^[A-Z`].*\.$/)]);
    }
  });

  it('explains the codes of requests GraphQL cannot run', () => {
    const source = readFileSync(join(root, 'src', 'graphql', 'request-error.ts'), 'utf8');
    const used = new Set([...source.matchAll(/\| '(\w+)'/g)].map(([, code]) => code));
    expect(new Set(rowsOf(graphql).map(([code]) => code))).toEqual(used);
  });

  it('has an example a client could have received', () => {
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    const { code, status, detail, message, errors } = JSON.parse(example);
    const real = invalidInput(errors);
    expect({ code, status, detail, message }).toEqual({
      code: real.code,
      status: real.status,
      detail: real.message,
      message: real.message,
    });
  });
});

describe('error codes', () => {
  it('are the only ones the sources throw', () => {
    const thrown = globSync('{src,schema,rest-compat}/**/*.ts', { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/new ServiceError\(\s*'(\w+)'/g)].map(
        ([, code]) => code ?? '',
      ),
    );
    expect(thrown.length).toBeGreaterThan(10);
    expect(thrown.filter((code) => !(code in STATUS_OF))).toEqual([]);
  });

  it('determine the status in REST and GraphQL', () => {
    for (const [code, status] of Object.entries(STATUS_OF)) {
      const error = new ServiceError(code as ErrorCode, 'text', { headers: { 'X-Y': 'z' } });
      expect([error.status, error.extensions]).toEqual([status, { code, http: { status, headers: { 'X-Y': 'z' } } }]);
    }
  });
});
