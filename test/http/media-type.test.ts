import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';

describe('the media type of a JSON body', () => {
  const service = serviceFixture();
  const workspace = workspaceFixture(service);

  /** The statuses by REST (200 or 201 if the type fits, else 415) and by GraphQL. */
  const statuses = async (type: string) => {
    const post = async (path: string, body: object) => {
      const headers = { authorization: 'Bearer demo-client-key', 'content-type': type };
      return (
        await fetch(`${service.url}${path}`, { method: 'POST', headers, body: Buffer.from(JSON.stringify(body)) })
      ).status;
    };
    return [await post(`/workspaces/${workspace.id}/jobs`, {}), await post('/graphql', { query: '{ __typename }' })];
  };

  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; profile="a;b"',
  ])('may be %s', async (type) => {
    expect(await statuses(type)).toEqual([201, 200]);
  });

  it('may end in +json for REST', async () => {
    expect((await statuses('application/vnd.partner.v1+json'))[0]).toBe(201);
  });

  it.each([
    'application/json-seq',
    'application/json-patch+json',
    'application/jsonp',
    'text/json',
    'json',
    'text/plain; application/json',
  ])('may not be %s', async (type) => {
    expect(await statuses(type)).toEqual([415, 415]);
  });

  it.each(['application/json; charset=latin1', 'application/json, text/plain'])(
    'may not be %s for REST',
    async (type) => {
      expect((await statuses(type))[0]).toBe(415);
    },
  );
});

describe('the Accept header of a request', () => {
  const service = serviceFixture();

  const statusOf = async (accept: string) => {
    const headers = { authorization: 'Bearer demo-client-key', accept };
    return (await fetch(`${service.url}/v2/organizations?limit=1`, { headers })).status;
  };

  it.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8, text/plain;q=0.5',
    'application/json; indent=4; q=0.9',
    'application/json;odata=verbose',
    '*/*; version="1,2"',
  ])('accepts JSON with %s, ignoring parameters other than q', async (accept) => {
    expect(await statusOf(accept)).toBe(200);
  });

  it.each(['text/*', 'text/html', 'application/json;q=0', 'application/json; charset=utf-8; q=0'])(
    'excludes JSON with %s',
    async (accept) => {
      expect(await statusOf(accept)).toBe(406);
    },
  );
});
