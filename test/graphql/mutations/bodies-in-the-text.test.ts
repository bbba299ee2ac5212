import { describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture } from '../../service.ts';

const service = serviceFixture();

/** Creates jobs with a text that contains their bodies; returns the first of them. */
const creating = (body: string) => {
  const query = `mutation ($w: UUID!) {
    createDocuments(workspace: $w, type: "svc.inspection.job", bodies: [${body}]) { body }
  }`;
  return async (workspace: string, as: 'client' | 'vendor' = 'client') => {
    const { body } = await service.graphql(query, { w: workspace }, as);
    expect(body.errors).toBeUndefined();
    return body.data.createDocuments[0].body;
  };
};

const record = async (workspace: string, catalog: string, id: string) =>
  (await service.ask('GET', `/v2/workspaces/${workspace}/xrefs/${catalog}/${id}`, { as: 'client' })).body;

describe('bodies in the text of a mutation, each time it runs,', () => {
  it('name records of the workspace they are created in', async () => {
    const create = creating('{ transports: [{ name: "Rotterdam Star" }], cargo: { product: { name: "Gasoil" } } }');
    for (let time = 0; time < 4; time++) {
      const { id } = await makeWorkspace(service);
      const { transports, cargo } = await create(id);
      expect(await record(id, 'transports', transports[0])).toMatchObject({ body: { name: 'Rotterdam Star' } });
      expect(await record(id, 'products', cargo.product)).toMatchObject({ body: { name: 'Gasoil' } });
    }
  });

  it('name records of the creating party by xref', async () => {
    const create = creating('{ cargo: { product: { xref: "X1" } } }');
    const { id, client, vendor } = await makeWorkspace(service);
    for (const as of ['client', 'client', 'client', 'vendor', 'vendor'] as const) {
      const { product } = (await create(id, as)).cargo;
      expect(await record(id, 'products', product)).toMatchObject({
        body: { xref: 'X1', ownerParty: as === 'client' ? client : vendor },
      });
    }
  });

  it('name another record once the one of that name has been renamed', async () => {
    const create = creating('{ cargo: { product: { name: "Before" } } }');
    const { id } = await makeWorkspace(service);
    const products = [await create(id), await create(id)].map(({ cargo }) => cargo.product);
    expect(new Set(products).size).toBe(1);
    const path = `/v2/workspaces/${id}/xrefs/products/${products[0]}`;
    await service.ask('PATCH', path, { as: 'client', body: { body: { name: 'After' } } });
    expect(await record(id, 'products', (await create(id)).cargo.product)).toMatchObject({ body: { name: 'Before' } });
  });
});

it("bodies in a variable used by two fields name records of each field's workspace", async () => {
  const [one, other] = [await makeWorkspace(service), await makeWorkspace(service)];
  const field = (w: string) => `createDocuments(workspace: "${w}", type: "svc.inspection.job", bodies: $b) { body }`;
  const query = `mutation ($b: [DocumentBody!]!) { a: ${field(one.id)} b: ${field(other.id)} }`;
  const { body } = await service.graphql(query, { b: [{ cargo: { product: { name: 'Naphtha' } } }] });
  expect(body.errors).toBeUndefined();
  const [a, b] = [body.data.a, body.data.b].map(([{ body }]) => body.cargo.product);
  expect(await record(one.id, 'products', a)).toMatchObject({ body: { name: 'Naphtha' } });
  expect(await record(other.id, 'products', b)).toMatchObject({ body: { name: 'Naphtha' } });
});
