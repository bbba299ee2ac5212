import { describe, expect, it } from 'vitest';
import { withIds } from '../../src/domain/catalogs/catalog-reference.ts';
import { MOST_ITEMS } from '../../src/model/fields/schema-parts.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const ITEM = { code: 'GOV', value: 1 };
const listOf = (length: number, item: unknown = ITEM) => Array.from({ length }, () => item);
const TOO_MANY = 'must have at most 10000 items.';

describe('a list in a body', () => {
  it('has at most 10,000 items, and no fault of its items is told beside that', async () => {
    const create = (measurements: unknown) => {
      const body = { type: 'svc.inspection.quantityResult', body: { parent: job, measurements } };
      return service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, { as: 'client', body });
    };
    const job = (await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} })).body.id;
    const { status, body } = await create(listOf(MOST_ITEMS + 1, 7));
    expect([status, body.errors]).toEqual([400, [{ path: '/body/measurements', message: TOO_MANY }]]);
    const made = await create(listOf(MOST_ITEMS));
    expect(made.status).toBe(201);
    const at = `/v2/workspaces/${workspace.id}/documents/${made.body.id}`;
    const patch = { body: { measurements: listOf(MOST_ITEMS + 1) } };
    const { body: refused } = await service.ask('PATCH', at, { as: 'client', body: patch });
    expect(refused.errors).toEqual([{ path: '/body/measurements', message: TOO_MANY }]);
  });

  it('has as many in every family, and in GraphQL', async () => {
    const refusals = [
      await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
        as: 'client',
        body: { transports: listOf(MOST_ITEMS + 1, { name: 'MT Heron' }) },
      }),
      await service.ask('POST', '/v2/webhooks', {
        as: 'admin',
        body: { url: 'https://example.org/', event_types: listOf(MOST_ITEMS + 1, 'job.created') },
      }),
      await service.ask('PUT', '/api/rest/1.0/companies/CO1', {
        as: 'admin',
        body: { name: 'Aldermoor', companyRoles: listOf(MOST_ITEMS + 1, 'TRADER') },
      }),
      await service.ask('POST', '/bridge/v1/data/jobs', {
        as: 'client',
        body: { refNumber: 'R', inspectors: listOf(MOST_ITEMS + 1, {}) },
      }),
    ];
    expect(refusals.map(({ body }) => body.errors)).toEqual([
      [{ path: '/transports', message: TOO_MANY }],
      [{ path: '/event_types', message: TOO_MANY }],
      [{ path: '/companyRoles', message: TOO_MANY }],
      expect.arrayContaining([{ path: '/inspectors', message: TOO_MANY }]),
    ]);
    const { body } = await service.graphql(
      'mutation ($workspace: UUID!, $body: JobBody!) { createJob(workspace: $workspace, body: $body) { id } }',
      { workspace: workspace.id, body: { transports: listOf(MOST_ITEMS + 1, { name: 'MT Heron' }) } },
    );
    expect(body.errors[0].extensions.errors).toEqual([{ path: '/transports', message: TOO_MANY }]);
  });

  it('says so in its JSON Schema', async () => {
    const { body } = await service.ask('GET', '/v2/schemas', { as: 'client' });
    const ofJobs = body.find(({ type }: { type: string }) => type === 'svc.inspection.job').schema.properties;
    expect(ofJobs.transports.maxItems).toBe(MOST_ITEMS);
  });
});

it('ids take the place of references in a body that shares the parts without any', () => {
  const [transports, large] = [[{ name: 'MT Heron' }, { name: 'MT Plover' }], { a: [{}] }];
  const body = { transports, cargo: { product: { name: 'Gasoil' }, large }, large };
  const referenceAt = (...place: (string | number)[]) => ({ place, catalog: 'products' });
  const ids = new Map([
    [referenceAt('transports', 0), '1'],
    [referenceAt('transports', 1), '2'],
    [referenceAt('cargo', 'product'), '3'],
  ]);
  const after = withIds(body, ids);
  expect(after).toEqual({ transports: ['1', '2'], cargo: { product: '3', large }, large });
  expect([after.large, after.cargo.large]).toEqual([large, large]);
  expect([after.large === large, after.cargo.large === large]).toEqual([true, true]);
  expect(body.transports).toEqual([{ name: 'MT Heron' }, { name: 'MT Plover' }]);
  expect(body.cargo.product).toEqual({ name: 'Gasoil' });
});
