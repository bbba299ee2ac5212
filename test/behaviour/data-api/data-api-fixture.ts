import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Body } from '../../rest-compat/data-api/bodies.ts';
import { makeWorkspace, startTestService, type TestService, type TestWorkspace } from '../../service.ts';

const PATH = '/bridge/v1/data/jobs';

/** Available from the first test on; each test has its own workspace. */
export let service: TestService;
export let workspace: TestWorkspace;

/** Starts a service for a test file on the Data API's jobs. */
export function dataApiFixture(): void {
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    workspace = await makeWorkspace(service);
  });
}

export const create = async (body: unknown) => {
  const answer = await service.ask('POST', PATH, { as: 'client', body });
  expect([answer.status, answer.body.meta]).toEqual([201, { workspace: workspace.id }]);
  return answer.body;
};
/** The body of a job as the Data API shows it. */
export const shown = async (id: string) =>
  (await service.ask('GET', PATH, { as: 'vendor' })).body.find((job: Body) => job.id === id)?.body;

export const change = async (id: string, patch: object) =>
  service.ask('PATCH', `/workspaces/${workspace.id}/jobs/${id}`, { as: 'vendor', body: patch });
export const changed = async (id: string, patch: object) => {
  const answer = await change(id, patch);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
};
