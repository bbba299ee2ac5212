import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as newId } from 'uuid';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type * as Services from '../service.ts';

const root = join(import.meta.dirname, '..', '..');
const copies: string[] = [];
afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});

/** What the recipe "Add a document type" in CONTRIBUTING.md requires: a new file, or a line after another line. */
const RECIPE: Readonly<Record<string, string | readonly (readonly [line: string, added: string])[]>> = {
  'src/model/document-types/seal-record.ts': `
    import type { ResultType } from '../entity/entity-type.ts';
    import { datetime, flag, link, reference, text } from '../fields/schema-parts.ts';
    import { JOB_TYPE } from './job.ts';
    export const sealRecord: ResultType<'seal record'> = {
      name: 'svc.inspection.sealRecord',
      aliases: [],
      noun: 'seal record',
      phrases: { one: 'a seal record', all: 'the seal records' },
      parentType: JOB_TYPE,
      required: ['sealNumber'],
      graphqlNames: { hide: ['workspace', 'parent'] },
      schema: {
        title: 'Seal record',
        type: 'object',
        properties: {
          workspace: link('workspace'),
          parent: link('document'),
          sealNumber: text('The number on the seal.'),
          intact: flag('The seal was found unbroken.'),
          date: datetime('When it was checked.'),
          location: reference('locations', 'Where it was checked.'),
        },
      },
    };`,
  'src/model/document-types.ts': [
    [
      "import { quantityResult } from './document-types/quantity-result.ts';",
      "import { sealRecord } from './document-types/seal-record.ts';",
    ],
    ['export const RESULT_TYPES = [', 'sealRecord, '],
  ],
  'schema/seal-record.ts': `
    import { sealRecord } from '../src/model/document-types/seal-record.ts';
    import { result } from './building/result.ts';
    result({ type: sealRecord, description: 'Whether a seal on a tank or a sample was unbroken.' });`,
  'schema/schema.ts': [["import './load-port-information.ts';", "import './seal-record.ts';"]],
  'rest-compat/legacy/results.ts': [
    [
      "import { timelog } from '../../src/model/document-types/timelog.ts';",
      "import { sealRecord } from '../../src/model/document-types/seal-record.ts';",
    ],
    ['const KINDS: readonly Kind[] = [', "{ type: sealRecord, path: 'seal-records', parameter: 'seal_id' },"],
  ],
};

const SOURCES = [
  'src',
  'schema',
  'rest-compat',
  'web',
  'examples',
  'package.json',
  'test/service.ts',
  'test/assert-described.ts',
  'test/drop-database.ts',
  'test/patiently.ts',
  'test/sharding',
];

/** This repository's sources in their own folder, with some steps of the recipe done. */
function copyWith(files: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'exchange-new-type-'));
  copies.push(copy);
  for (const part of SOURCES) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const file of files) {
    const step = RECIPE[file] ?? '';
    writeFileSync(join(copy, file), typeof step === 'string' ? step : edited(join(copy, file), step));
  }
  return copy;
}

const edited = (path: string, edits: readonly (readonly [line: string, added: string])[]) =>
  edits.reduce(
    (text, [line, added]) => {
      expect(text.split(line)).toHaveLength(2);
      return text.replace(line, `${line}\n${added}`);
    },
    readFileSync(path, 'utf8'),
  );

describe('a new document type', () => {
  it('is added only in the places named in CONTRIBUTING.md', () => {
    const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    const recipe = text.split('## Add a document type')[1]?.split('\n## ')[0] ?? '';
    const named = (file: string) =>
      recipe.includes(`\`${file}\``) || recipe.includes(`\`${file.replace('seal-record', '<noun>')}\``);
    const inFolder = (file: string) => recipe.includes('`src/model/document-types/`') && file.includes('/seal-record');
    expect(Object.keys(RECIPE).filter((file) => !named(file) && !inFolder(file))).toEqual([]);
  });

  it('is served by v2, the legacy Workspace API and GraphQL, typed, filtered and described', async () => {
    const copy = copyWith(Object.keys(RECIPE));
    const { startTestService, makeWorkspace }: typeof Services = await import(join(copy, 'test', 'service.ts'));
    const service = await startTestService();
    onTestFinished(() => service.stop());
    const workspace = await makeWorkspace(service);
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const job = (await service.ask('POST', jobs, { as: 'client', body: { xref: newId() } })).body.id;
    const sealed = { sealNumber: '77', intact: true, date: '2026-05-01T10:00:00Z', location: { name: 'Rotterdam' } };

    const made = await service.ask('POST', `${jobs}/${job}/seal-records`, { as: 'vendor', body: sealed });
    expect(made.status, made.text).toBe(201);
    const wrong = await service.ask('POST', `${jobs}/${job}/seal-records`, { as: 'vendor', body: { intact: 'yes' } });
    expect(wrong.status).toBe(400);
    const list = `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.sealRecord`;
    const listed = await service.ask('GET', `${list}&filter[sealNumber]=77`, { as: 'client' });
    expect(listed.body, listed.text).toHaveLength(1);
    expect(listed.body[0]).toMatchObject({ parent_id: job, body: { sealNumber: '77', intact: true } });
    const document = { type: 'svc.inspection.sealRecord', body: { parent: job } };
    const without = await service.ask('POST', list.replace(/\?.*/, ''), { as: 'client', body: document });
    expect(without.status, without.text).toBe(400);
    expect(without.body.errors).toEqual([expect.objectContaining({ path: '/body/sealNumber' })]);

    const { body } = await service.graphql(`{
      job(id: "${job}") { sealRecords { sealNumber intact location { name } job { id } } }
      sealRecords(where: { sealNumber: { eq: "77" }, location: { name: { eq: "Rotterdam" } } }) { totalCount }
      document(id: "${made.body.id}") { __typename }
    }`);
    expect(body).toEqual({
      data: {
        job: { sealRecords: [{ sealNumber: '77', intact: true, location: { name: 'Rotterdam' }, job: { id: job } }] },
        sealRecords: { totalCount: 1 },
        document: { __typename: 'SealRecord' },
      },
    });
    const { body: openapi } = await service.ask('GET', '/openapi.json');
    expect(openapi.components.schemas.SealRecordBody.properties.sealNumber.description).toBe('The number on the seal.');
  });

  it('stops the start with a sentence saying what is missing, if it has no GraphQL type', async () => {
    const copy = copyWith(['src/model/document-types/seal-record.ts', 'src/model/document-types.ts']);
    await expect(import(join(copy, 'schema', 'schema.ts'))).rejects.toThrow(
      'The document type svc.inspection.sealRecord has no GraphQL type SealRecord. Declare it in schema/ and import that file in schema/schema.ts',
    );
  });
});
