import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const other = newId();
let job: { readonly id: string; readonly version_id: string };

const as = 'client';
const ports = '/api/rest/1.0/ports/NLRTM';
beforeAll(async () => {
  const body = { type: 'svc.inspection.job', body: {} };
  job = (await service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, { as, body })).body;
  await service.ask('PUT', ports, { as, body: { name: 'Rotterdam', country: 'NL' } });
});

const CHANGE = 'mutation ($w: UUID!, $id: UUID!) { updateJob(workspace: $w, id: $id, patch: { xref: "x" }';
const REPORT =
  'mutation ($w: UUID!, $id: UUID!, $body: QualityResultBody!) { createQualityResult(workspace: $w, job: $id';
const errorOf = async (operation: string) => {
  const variables = { w: workspace.id, id: job.id, body: { parent: other } };
  return (await service.graphql(operation, variables)).body.errors[0];
};

describe('an error about an argument', () => {
  it.each([
    [
      'expectedVersion',
      'PRECONDITION_FAILED',
      () => `${CHANGE}, expectedVersion: ["bad"]) { id } }`,
      () => `does not name the current version, ${job.version_id}.`,
    ],
    [
      'previousVersion',
      'VERSION_CONFLICT',
      () => `${CHANGE}, previousVersion: "${other}") { id } }`,
      () => `is not the current version: that is ${job.version_id}, number 1.`,
    ],
    [
      'unlessVersion',
      'PRECONDITION_FAILED',
      () => 'mutation { putPort(clientCode: "NLRTM", body: { name: "R" }, unlessVersion: ["*"]) { created } }',
      () => expect.stringMatching(/^names the current version, /),
    ],
  ])('names %s in GraphQL', async (parameter, code, operation, says) => {
    const { message, extensions } = await errorOf(operation());
    expect(extensions).toEqual({ code, errors: [{ parameter, message: says() }] });
    expect(message).toBe(`${parameter} ${extensions.errors[0].message}`);
  });

  it('names the argument a body contradicts', async () => {
    const { message, extensions } = await errorOf(`${REPORT}, body: $body) { id } }`);
    const said = `must be ${job.id}, as in the argument job.`;
    expect([message, extensions.errors]).toEqual([`/parent: ${said}`, [{ path: '/parent', message: said }]]);
  });

  it('names the REST counterpart instead of an argument', async () => {
    const path = `/v2/workspaces/${workspace.id}/documents/${job.id}`;
    const current = job.version_id;
    const results = `/workspaces/${workspace.id}/jobs/${job.id}/quality`;
    for (const [method, at, sent, detail] of [
      [
        'PATCH',
        path,
        { body: { body: {} }, headers: { 'If-Match': '"bad"' } },
        `If-Match does not name the current version, ${current}.`,
      ],
      [
        'PATCH',
        path,
        { body: { body: {}, previous_version_id: other } },
        `previous_version_id is not the current version: that is ${current}, number 1.`,
      ],
      [
        'PUT',
        ports,
        { body: { name: 'R', country: 'NL' }, headers: { 'If-None-Match': '*' } },
        expect.stringMatching(/^If-None-Match names the current version, /),
      ],
      ['POST', results, { body: { parent: other } }, expect.stringMatching(`must be ${job.id}, as in the path.`)],
    ] as const) {
      const { body } = await service.ask(method, at, { as, ...sent });
      expect(body.detail).toEqual(detail);
      expect(body.errors?.map(({ path }: { path?: string }) => path)).toEqual(at === results ? ['/parent'] : undefined);
    }
  });
});
