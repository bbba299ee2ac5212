// biome-ignore-all lint/suspicious/noThenProperty: members of that name are what is tested
import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';

/** Bodies in which every object GraphQL reads has a member `then`, which is data, not a promise. */
const CUSTOM = { then: 'dinner' };
const BODY = {
  refNumber: 'THEN',
  then: 1,
  custom: CUSTOM,
  cargo: { then: true, quantity: 3 },
  transports: [{ name: 'MT Then', then: {} }],
};

describe.each(['on', 'off'])('with the compiler %s, a member `then`', (jit) => {
  const service = serviceFixture({ env: { GRAPHQL_JIT: jit } });
  const workspace = workspaceFixture(service);
  let id = '';

  beforeAll(async () => {
    const path = `/workspaces/${workspace.id}/jobs`;
    id = (await service.ask('POST', path, { as: 'client', body: BODY })).body.id;
    const measured = { direction: 'source', measurements: [{ then: {}, code: 'GOV', value: 4 }] };
    await service.ask('POST', `${path}/${id}/quantity`, { as: 'vendor', body: measured });
    await service.ask('PATCH', `${path}/${id}`, { as: 'client', body: { custom: { then: { then: 2 } } } });
  });

  /** The answers to the same text, the first time and later, which must be the same. */
  const twice = async (query: string) => {
    const answers = [await service.graphql(query), await service.graphql(query), await service.graphql(query)];
    const [first, ...later] = answers.map(({ text }) => text);
    expect(later).toEqual([first, first]);
    return answers[0]?.body;
  };

  it('comes back in versions and their changes', async () => {
    const { data, errors } = await twice(
      `{ job(id: "${id}") { body versions { number body changes { path before after } } } }`,
    );
    expect(errors).toBeUndefined();
    const [second, first] = data.job.versions;
    expect(data.job.body).toMatchObject({ then: 1, custom: { then: { then: 2 } } });
    expect(second.body).toEqual(data.job.body);
    expect(second.changes).toEqual([{ path: '/custom/then', before: 'dinner', after: { then: 2 } }]);
    expect(first.body).toMatchObject({ ...BODY, transports: [expect.any(String)] });
    expect(first.changes).toContainEqual({ path: '/custom', before: null, after: CUSTOM });
  });

  it('does not affect the fields beside it', async () => {
    const selected = 'cargo { quantity } transports { name } quantityResults { measurements { code value } }';
    const { data, errors } = await twice(`{ job(id: "${id}") { ${selected} } }`);
    expect(errors).toBeUndefined();
    expect(data.job).toEqual({
      cargo: { quantity: 3 },
      transports: [{ name: 'MT Then' }],
      quantityResults: [{ measurements: [{ code: 'GOV', value: 4 }] }],
    });
  });

  it('comes back in deleted documents', async () => {
    const path = `/v2/workspaces/${workspace.id}/documents`;
    const body = { type: 'svc.inspection.job', body: BODY };
    const created = await service.ask('POST', path, { as: 'client', body });
    await service.ask('DELETE', `${path}/${created.body.id}`, { as: 'client' });
    const query = `{ deletedDocuments(workspace: "${workspace.id}") { nodes { body versions { body } } } }`;
    const { data, errors } = await twice(query);
    expect(errors).toBeUndefined();
    const [deleted] = data.deletedDocuments.nodes;
    expect(deleted.body).toMatchObject({ then: 1, custom: CUSTOM });
    expect(deleted.versions).toEqual([{ body: deleted.body }]);
  });
});
