import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { shapeB, submitted } from '../rest-compat/data-api/bodies.ts';
import { makeWorkspace, startTestService, type TestService, type TestWorkspace } from '../service.ts';

let service: TestService;
let workspace: TestWorkspace;

beforeAll(async () => {
  service = await startTestService();
  workspace = await makeWorkspace(service);
});
afterAll(() => service.stop());

async function mutate(query: string, body: object) {
  const answer = await service.graphql(query, { body }, 'client');
  expect(answer.body.errors).toBeUndefined();
  return answer.body.data;
}

describe("the Data API's former names in GraphQL", () => {
  const { createBridgeJob, submitBridgeJob } = schema.getMutationType()?.getFields() ?? {};

  it('are deprecated, and say which name replaces them', () => {
    expect(createBridgeJob?.deprecationReason).toContain('createDataApiJob');
    expect(submitBridgeJob?.deprecationReason).toContain('submitDataApiJob');
  });

  it('create, submit and show the same jobs', async () => {
    const fields = '{ type bridgeBody dataApiBody bridgeListType dataApiListType }';
    const { createBridgeJob: made } = await mutate(
      `mutation M($body: BridgeJobBody!) { createBridgeJob(body: $body) ${fields} }`,
      shapeB(workspace),
    );
    const { submitBridgeJob: sent } = await mutate(
      `mutation M($body: BridgeJobSubmission!) { submitBridgeJob(body: $body) ${fields} }`,
      submitted(workspace),
    );
    for (const job of [made, sent]) {
      expect(job.bridgeBody).toMatchObject({ refNumber: job.dataApiBody.refNumber });
      expect(job.bridgeBody).toEqual(job.dataApiBody);
      expect(job.bridgeListType).toBe(job.dataApiListType);
    }
  });
});
