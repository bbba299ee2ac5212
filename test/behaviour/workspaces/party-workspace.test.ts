import { v7 as newId } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type Caller, serviceFixture } from '../../service.ts';

const service = serviceFixture();

interface Party {
  readonly id: string;
  readonly name: string;
}

async function organization(as: Caller): Promise<Party> {
  const name = `Straße & Söhne ${newId()}`;
  const { body } = await service.ask('POST', '/v2/organizations', { as, body: { name } });
  return { id: body.id, name };
}

type Xrefs = { client?: string; vendor?: string };

async function workspace(client: Party, vendor: Party, xrefs: Xrefs = {}, as: Caller = 'client'): Promise<string> {
  const parties = { client: { id: client.id, xref: xrefs.client }, vendor: { id: vendor.id, xref: xrefs.vendor } };
  const { body } = await service.ask('POST', '/workspaces', { as, body: { description: 'one', parties } });
  return body.id;
}

/** The workspace that a job with these parties is put into; undefined for none. */
async function found(client: unknown, vendor: unknown, as: Caller = 'client'): Promise<string | undefined> {
  const body = { notes: 'where', client, vendor };
  const answer = await service.ask('POST', '/bridge/v1/data/jobs', { as, body });
  expect(answer.status).toBe(201);
  return answer.body.meta.workspace;
}

describe('the workspace of a job of the Data API', () => {
  it('is that of its parties by name, ignoring letter case and surrounding space, for both of them', async () => {
    const [client, vendor] = [await organization('client'), await organization('vendor')];
    const id = await workspace(client, vendor);
    const [upper, padded] = [client.name.toUpperCase().replace('STRASSE', 'STRAßE'), ` ${vendor.name}  `];
    await service.graphql(`mutation { acceptWorkspace(id: "${id}") { id } }`, {}, 'vendor');
    expect(await found({ name: client.name }, { name: vendor.name })).toBe(id);
    expect(await found({ name: upper }, { name: padded }, 'vendor')).toBe(id);
  });

  it('is that of its parties by their xrefs in the workspace, whatever their names', async () => {
    const [client, vendor] = [await organization('client'), await organization('vendor')];
    const id = await workspace(client, vendor, { client: 'C 1', vendor: 'V-1' });
    expect(await found({ xref: 'C 1' }, { xref: 'V-1', name: 'Other name' })).toBe(id);
    expect(await found({ xref: 'C 1' }, { name: vendor.name })).toBe(id);
    expect(await found({ xref: 'c 1' }, { xref: 'V-1' })).toBeUndefined();
    expect(await found({ xref: 'V-1' }, { xref: 'C 1' })).toBeUndefined();
  });

  it('is found by the name when the xref matches nothing', async () => {
    const [client, vendor] = [await organization('client'), await organization('vendor')];
    const id = await workspace(client, vendor, { vendor: `V ${newId()}` });
    expect(await found({ xref: 'unknown', name: client.name }, { xref: 'unknown', name: vendor.name })).toBe(id);
    expect(await found({ xref: '', name: client.name }, { xref: null, name: vendor.name })).toBe(id);
  });

  it('is that of the xref when the name means another', async () => {
    const [client, vendor] = [await organization('client'), await organization('vendor')];
    const [mark, other] = [`C ${newId()}`, await organization('client')];
    const byXref = await workspace(client, vendor, { client: mark });
    const byName = await workspace(other, vendor);
    expect(await found({ xref: mark, name: other.name }, { name: vendor.name })).toBe(byXref);
    expect(await found({ name: other.name }, { name: vendor.name })).toBe(byName);
    const twin = await workspace(client, vendor);
    expect(await found({ xref: mark, name: client.name }, { name: vendor.name })).toBe(byXref);
    expect(twin).not.toBe(byXref);
  });

  it('is none when two have these parties, or each has one of them by its xref', async () => {
    const [client, vendor] = [await organization('client'), await organization('vendor')];
    await workspace(client, vendor, { client: 'C-first' });
    await workspace(client, vendor, { vendor: 'V-second' });
    expect(await found({ name: client.name }, { name: vendor.name })).toBeUndefined();
    const [byClient, byVendor] = [
      { xref: 'C-first', name: client.name },
      { xref: 'V-second', name: vendor.name },
    ];
    expect(await found(byClient, byVendor)).toBeUndefined();
    expect(await found(byClient, { name: vendor.name })).toBeDefined();
  });

  it('is none when only one party matches, or one is not named', async () => {
    const [client, vendor] = [await organization('client'), await organization('vendor')];
    await workspace(client, vendor, { client: 'C-lonely', vendor: 'V-lonely' });
    for (const [one, other] of [
      [{ name: client.name }, { name: 'Nobody' }],
      [{ name: 'Nobody' }, { xref: 'V-lonely' }],
      [{ name: client.name }, undefined],
      [undefined, { name: vendor.name }],
      [undefined, undefined],
      [null, null],
      [{ name: vendor.name }, { name: client.name }],
    ]) {
      expect([one, other, await found(one, other)]).toEqual([one, other, undefined]);
    }
  });

  it("is never another tenant's, and can be one of the caller's own two organizations", async () => {
    const [client, vendor] = [await organization('client'), await organization('vendor')];
    await workspace(client, vendor, { client: 'C-private', vendor: 'V-private' });
    expect(await found({ name: client.name }, { name: vendor.name }, 'stranger')).toBeUndefined();
    expect(await found({ xref: 'C-private' }, { xref: 'V-private' }, 'stranger')).toBeUndefined();
    const [own, also] = [await organization('stranger'), await organization('stranger')];
    const id = await workspace(own, also, {}, 'stranger');
    expect(await found({ name: own.name }, { name: also.name }, 'stranger')).toBe(id);
  });

  it('treats MongoDB operators as texts', async () => {
    for (const xref of ['$ne', '{"$gt":""}', '.*']) expect(await found({ xref }, { xref })).toBeUndefined();
    const answer = await service.ask('POST', '/bridge/v1/data/jobs', {
      as: 'client',
      body: { client: { xref: { $gt: '' } }, vendor: { xref: { $gt: '' } } },
    });
    expect(answer.status).toBe(400);
  });
});
