import { expect } from 'vitest';
import type { TestService, TestWorkspace } from '../../service.ts';

/** Posts to the jobs of a workspace as its vendor, by the legacy path below `/jobs`; returns the id of what was made. */
export const jobReports =
  (service: TestService, workspace: TestWorkspace) =>
  async (path: string, body: object): Promise<string> => {
    const answer = await service.ask('POST', `/workspaces/${workspace.id}/jobs${path}`, { as: 'vendor', body });
    expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
    return answer.body.id;
  };
