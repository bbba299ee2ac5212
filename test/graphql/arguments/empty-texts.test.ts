import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);
let record: string;
let webhook: string;

beforeAll(async () => {
  const made = await service.ask('POST', `/v2/workspaces/${workspace.id}/xrefs/products`, {
    as: 'client',
    body: { name: 'Gasoil' },
  });
  record = made.body.id;
  const url = 'https://receiver.example/hook';
  webhook = (await service.ask('POST', '/v2/webhooks', { as: 'admin', body: { url } })).body.id;
});

const ask = (operation: string) => service.graphql(operation, { w: workspace.id, id: record, webhook }, 'admin');
const extensionsOf = async (operation: string) => (await ask(operation)).body.errors?.[0].extensions;

describe('an empty text is not an omitted argument:', () => {
  it.each([
    ['catalogRecord', 'query ($w: UUID!, $id: UUID!) { catalogRecord(workspace: $w, catalog: "", id: $id) { id } }'],
    [
      'updateCatalogRecord',
      'mutation ($w: UUID!, $id: UUID!) { updateCatalogRecord(workspace: $w, catalog: "", id: $id, patch: { name: "X" }) { id } }',
    ],
    [
      'deleteCatalogRecord',
      'mutation ($w: UUID!, $id: UUID!) { deleteCatalogRecord(workspace: $w, catalog: "", id: $id) { id } }',
    ],
  ])('no catalog record without a name (%s)', async (_field, operation) => {
    expect((await extensionsOf(operation)).code).toBe('NOT_FOUND');
    const { body } = await service.ask('GET', `/v2/workspaces/${workspace.id}/xrefs/products/${record}`, {
      as: 'client',
    });
    expect(body.body.name).toBe('Gasoil');
  });

  it.each([
    ['action', '{ auditLog(action: "") { totalCount } }'],
    ['status', 'query ($webhook: UUID!) { webhookDeliveries(id: $webhook, status: "") { id } }'],
    ['status', 'query ($webhook: UUID!) { webhookDeliveryLog(id: $webhook, status: "") { totalCount } }'],
  ])('refused as %s: %s', async (parameter, operation) => {
    const { code, errors } = await extensionsOf(operation);
    expect([code, errors]).toEqual(['INVALID_INPUT', [{ parameter, message: expect.any(String) }]]);
  });

  it('an empty cursor starts a list, as sent by programs without one yet', async () => {
    const { body } = await ask(
      `query ($webhook: UUID!) {
        jobs(first: 1, after: "") { totalCount }
        last: jobs(last: 1, before: "") { totalCount }
        deletedDocuments(after: "") { totalCount }
        auditLog(after: "") { totalCount }
        changes(after: "") { next }
        webhookDeliveryLog(id: $webhook, after: "") { totalCount }
      }`,
    );
    expect(body.errors).toBeUndefined();
  });

  it('null is an omitted argument', async () => {
    const { body } = await ask(
      `query ($w: UUID!, $id: UUID!, $webhook: UUID!) {
        catalogRecord(workspace: $w, catalog: null, id: $id) { id }
        jobs(first: 1, after: null) { totalCount }
        auditLog(after: null, action: null) { totalCount }
        changes(after: null) { next }
        webhookDeliveryLog(id: $webhook, status: null, after: null) { totalCount }
      }`,
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.catalogRecord).toEqual({ id: record });
  });
});
