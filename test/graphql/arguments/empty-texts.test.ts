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

describe('an empty text is no argument left out:', () => {
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
  ])('no record is in the catalog without a name (%s)', async (_field, operation) => {
    expect((await extensionsOf(operation)).code).toBe('NOT_FOUND');
    const { body } = await service.ask('GET', `/v2/workspaces/${workspace.id}/xrefs/products/${record}`, {
      as: 'client',
    });
    expect(body.body.name).toBe('Gasoil');
  });

  it.each([
    ['after', '{ jobs(first: 1, after: "") { totalCount } }'],
    ['before', '{ jobs(last: 1, before: "") { totalCount } }'],
    ['after', '{ deletedDocuments(after: "") { totalCount } }'],
    ['after', '{ auditLog(after: "") { totalCount } }'],
    ['action', '{ auditLog(action: "") { totalCount } }'],
    ['after', '{ changes(after: "") { next } }'],
    ['status', 'query ($webhook: UUID!) { webhookDeliveries(id: $webhook, status: "") { id } }'],
    ['status', 'query ($webhook: UUID!) { webhookDeliveryLog(id: $webhook, status: "") { totalCount } }'],
    ['after', 'query ($webhook: UUID!) { webhookDeliveryLog(id: $webhook, after: "") { totalCount } }'],
  ])('it is refused as %s: %s', async (parameter, operation) => {
    const { code, errors } = await extensionsOf(operation);
    expect([code, errors]).toEqual(['INVALID_INPUT', [{ parameter, message: expect.any(String) }]]);
  });

  it('it is refused as the place of a subscription', async () => {
    const query = 'subscription { documentChanged(after: "") { id } }';
    const headers = { Accept: 'text/event-stream' };
    const { text } = await service.ask('POST', '/graphql', { as: 'client', body: { query }, headers });
    expect(text).toContain('"errors":[{"parameter":"after","message":"is not the id of an event."}]');
  });

  it('null is one', async () => {
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
