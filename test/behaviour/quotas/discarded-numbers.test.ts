import { describe, expect, inject, it } from 'vitest';
import * as migrate from '../../../src/cli/deployment/migrate.ts';
import { runCommand } from '../../cli/run-command.ts';
import { makeWorkspace, startTestService, type TestService } from '../../service.ts';

const statuses = async (service: TestService, workspace: string, count: number): Promise<number[]> => {
  const found: number[] = [];
  for (let i = 0; i < count; i++) {
    found.push((await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body: {} })).status);
  }
  return found;
};

describe('tenant usage counts', () => {
  it('are left alone by a migration without the quotas of the service', async () => {
    await using service = await startTestService({ env: { MAX_TENANT_DOCUMENTS: '3' } });
    const { id } = await makeWorkspace(service);
    expect(await statuses(service, id, 2)).toEqual([201, 201]);
    const env = {
      MONGODB_URI: inject('mongoUri'),
      MONGODB_DATABASE: service.stores.db.databaseName,
      LOG_LEVEL: 'error',
    };
    expect((await runCommand({ command: migrate, args: [], env })).code).toBe(0);
    expect(await service.stores.usage.list()).toMatchObject([{ documents: 2, workspaces: 1 }]);
    expect(await statuses(service, id, 2)).toEqual([201, 403]);
  });

  it('are recounted by a running gateway after another one without quotas discarded them', async () => {
    await using service = await startTestService({ env: { MAX_TENANT_DOCUMENTS: '3' }, usageSettlesMs: 300 });
    const { id } = await makeWorkspace(service);
    expect(await statuses(service, id, 1)).toEqual([201]);
    const database = service.stores.db.databaseName;
    await using fresh = await startTestService({ env: { MAX_TENANT_DOCUMENTS: '3' }, database });
    await using _free = await startTestService({ database });
    expect(await service.stores.usage.list()).toEqual([]);
    expect(await statuses(service, id, 1)).toEqual([201]);
    expect(await service.stores.usage.list()).toMatchObject([{ documents: 2, workspaces: 1 }]);
    await using _freeToo = await startTestService({ database });
    expect(await statuses(fresh, id, 2)).toEqual([201, 403]);
  });
});
