// May take 20 s: rebuilding tenants' usage waits twice until writes have settled.
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import * as rebuild from '../../src/cli/rebuild.ts';
import * as usage from '../../src/cli/tenants/usage.ts';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { runCommand } from './run-command.ts';

describe('npm run cli -- usage', () => {
  const service = serviceFixture({ env: { MAX_TENANT_DOCUMENTS: '5' } });
  const workspace = workspaceFixture(service);
  const run = (...args: string[]) =>
    runCommand({
      command: usage,
      args,
      env: { MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: service.stores.db.databaseName },
    });
  const kept = () => service.stores.db.collection('tenant_usage');

  beforeAll(async () => {
    for (const _ of [1, 2]) await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} });
  });

  it("lists each tenant's usage", async () => {
    expect(await run()).toEqual({
      code: 0,
      stdout: `${DEMO_TENANTS.client}  2 documents, 1 workspace, 0 bytes of files\n`,
      stderr: '',
    });
  });

  it('corrects wrong numbers, says which, and finds nothing the next time', { timeout: 180_000 }, async () => {
    await kept().updateOne({ documents: 2 }, { $inc: { documents: 3 } });
    const [before, after] = [5, 2].map((count) => `${count} documents, 1 workspace, 0 bytes of files`);
    expect(await run('--rebuild')).toEqual({
      code: 0,
      stdout: `${DEMO_TENANTS.client}  ${before}\n  corrected to: ${after}\n`,
      stderr: '',
    });
    expect((await run()).stdout).toContain(after);
  });

  it('says that nothing is counted without quotas, and leaves it so', async () => {
    await service.stores.db.collection<{ _id: string }>('meta').deleteOne({ _id: 'tenant usage' });
    for (const args of [[], ['--rebuild']]) {
      const { code, stdout } = await run(...args);
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining('Nothing is counted: the service runs without quotas'),
      ]);
    }
  });

  it("counts numbers no longer kept, using the service's quotas", { timeout: 180_000 }, async () => {
    await service.stores.db.collection<{ _id: string }>('meta').deleteOne({ _id: 'tenant usage' });
    await kept().deleteMany({});
    vi.stubEnv('MAX_TENANT_DOCUMENTS', '5');
    expect(await run('--rebuild')).toEqual({ code: 0, stdout: 'The numbers are right.\n', stderr: '' });
    expect((await run()).stdout).toBe(`${DEMO_TENANTS.client}  2 documents, 1 workspace, 0 bytes of files\n`);
  });

  it('refuses unknown options', async () => {
    const { code, stdout, stderr } = await run('--recount');
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringMatching(/^--recount is not expected here\.\n\nUsage:\n/),
    ]);
  });
});

describe('npm run cli -- rebuild', () => {
  const service = serviceFixture();
  const workspace = workspaceFixture(service);
  const run = (...args: string[]) =>
    runCommand({
      command: rebuild,
      args,
      env: { MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: service.stores.db.databaseName },
    });

  it('audits has every job audited when no gateway keeps audits, and again if they are wrong', async () => {
    const path = `/workspaces/${workspace.id}/jobs`;
    const body = { status: 'complete', requested: { quality: true } }; // which does not exist
    const { body: job } = await service.ask('POST', path, { as: 'client', body });
    await service.ask('POST', path, { as: 'client', body: {} });
    const documents = service.stores.db.collection<{ _id: string; audit?: { passed: boolean } }>('documents');
    const failed = async () => (await documents.find({ 'audit.passed': false }).toArray()).map(({ _id }) => _id);
    const done = { code: 0, stdout: 'The figures of all jobs have been audited again.\n' };
    const first = await run('audits');
    expect(first).toMatchObject(done);
    expect(first.stderr.split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^If a gateway runs, it audits all jobs again, and its log says how far it is;/),
        'figure audits have been rebuilt',
      ]),
    );
    expect(await failed()).toEqual([job.id]);
    await documents.updateOne({ _id: job.id }, { $unset: { audit: 1 } });
    expect(await run('audits')).toMatchObject({
      ...done,
      stderr: expect.stringContaining('\nfigure audits have been rebuilt\n'),
    });
    expect(await failed()).toEqual([job.id]);
  });

  it('statistics reports how many documents it read, and whether a figure was wrong', async () => {
    expect(await run('statistics')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ documents were read, and \d+ kept figures corrected\.\n$/),
    });
    expect(await run('statistics')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The statistics are right: \d+ documents were read\.\n$/),
    });
  });

  it.each([
    [[], 'What is to be rebuilt? Statistics and audits can be.'],
    [['events'], 'events cannot be rebuilt; statistics and audits can.'],
    [['audits', 'now'], 'now is not expected here.'],
  ])('refuses %j, and lists what can be rebuilt', async (args, said) => {
    const { code, stderr } = await run(...args);
    expect([code, stderr.split('\n\n', 1)]).toEqual([2, [said]]);
  });
});
