import { describe, expect, it } from 'vitest';
import type { Caller } from '../service.ts';
import { ask, PORTS, portsFixture, put, service } from './reference-fixture.ts';

portsFixture();

describe('a port in GraphQL', () => {
  it('has typed fields, decimal coordinates and its versions', async () => {
    const query = `{ port(clientCode: "NLRTM") {
      clientCode name countryCode latitudeDeg latitudeMin latitudeNs statusCode creator modifier dateCreated dateModified
      coordinates { latitude longitude } versions { number body } record summary
    } }`;
    const { port } = (await ask(query)).data;
    const { code, ...body } = PORTS[1] as (typeof PORTS)[number];
    expect(port).toMatchObject({
      clientCode: code,
      name: 'Rotterdam',
      countryCode: null,
      latitudeDeg: 51,
      latitudeMin: 57,
      latitudeNs: 'N',
      statusCode: 'ACTIVE',
      creator: 'Demo client (cargo owner)',
      coordinates: { latitude: 51.95, longitude: 4.1416667 },
      versions: [{ number: 1, body }],
    });
    const rest = (await service.ask('GET', '/api/rest/1.0/ports/NLRTM', { as: 'client' })).body;
    expect([port.record, port.summary]).toEqual([rest, rest]);
    expect([port.dateCreated, port.dateModified]).toEqual([rest.dateCreated, rest.dateModified]);
  });

  it('is negative south and west, and nowhere when a hemisphere is unknown', async () => {
    const { data } = await ask('{ ports { nodes { clientCode coordinates { latitude longitude } } } }');
    expect(
      Object.fromEntries(
        data.ports.nodes.map((port: { clientCode: string; coordinates: object }) => [
          port.clientCode,
          port.coordinates,
        ]),
      ),
    ).toEqual({
      AUSYD: { latitude: -33.9666667, longitude: 151.2166667 },
      NLAMS: { latitude: 52.4, longitude: 4.8 },
      NLRTM: { latitude: 51.95, longitude: 4.1416667 },
      NOWHERE: null,
      SGSIN: { latitude: 1.25, longitude: 103.8333333 },
      USNYC: { latitude: 40.7, longitude: -74.01 },
    });
  });

  it('is listed by id, page by page', async () => {
    const query = `query($after: String) {
      ports(first: 2, after: $after, order: [{ id: desc }]) { nodes { id } pageInfo { endCursor hasNextPage } }
    }`;
    const ids: string[] = [];
    for (let after: string | undefined, more = true; more; ) {
      const { nodes, pageInfo } = (await ask(query, { after })).data.ports;
      ids.push(...nodes.map(({ id }: { id: string }) => id));
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    expect(ids).toHaveLength(PORTS.length);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
  });

  it('is found near a place, nearest first, with its distance in kilometres', async () => {
    const near = async (args: string, as: Caller = 'client') => {
      const { data } = await ask(`{ portsNear(${args}) { distanceKm port { clientCode } } }`, {}, as);
      return data.portsNear.map(({ distanceKm, port }: { distanceKm: number; port: { clientCode: string } }) => [
        port.clientCode,
        Math.round(distanceKm),
      ]);
    };
    const hague = 'latitude: 52.08, longitude: 4.31';
    expect(await near(hague)).toEqual([
      ['NLRTM', 19],
      ['NLAMS', 49],
      ['USNYC', 5844],
      ['SGSIN', 10_558],
      ['AUSYD', 16_720],
    ]);
    expect(await near(`${hague}, withinKm: 30`)).toEqual([['NLRTM', 19]]);
    expect(await near(`${hague}, withinKm: 0`)).toEqual([]);
    expect(await near(`${hague}, first: 2`)).toHaveLength(2);
    expect(await near(hague, 'vendor')).toEqual([]);
  });

  it('keeps its position in step with its body', async () => {
    const near = async () => {
      const { data } = await ask('{ portsNear(latitude: 0, longitude: -30, withinKm: 100) { port { clientCode } } }');
      return data.portsNear.map(({ port }: { port: { clientCode: string } }) => port.clientCode);
    };
    const body = { name: 'Moving', latitudeDeg: 0, latitudeNs: 'N', longitudeDeg: 30, longitudeWe: 'W' };
    await put('Port', 'MOVES', body);
    expect(await near()).toEqual(['MOVES']);
    await ask('mutation { deactivatePort(clientCode: "MOVES") { statusCode } }');
    expect(await near()).toEqual(['MOVES']);
    await put('Port', 'MOVES', { name: 'Moving' });
    expect(await near()).toEqual([]);
    await put('Port', 'MOVES', { ...body, longitudeWe: 'E' });
    expect(await near()).toEqual([]);
    await put('Port', 'MOVES', { name: 'zzz' });
  });

  it.each([
    ['latitude: 91, longitude: 0', 'latitude'],
    ['latitude: 0, longitude: -181', 'longitude'],
    ['latitude: 0, longitude: 0, withinKm: -1', 'withinKm'],
    ['latitude: 0, longitude: 0, first: 0', 'first'],
    ['latitude: 0, longitude: 0, first: 1001', 'first'],
  ])('is not searched for near an invalid place: %s', async (args, parameter) => {
    const { errors } = await ask(`{ portsNear(${args}) { distanceKm } }`);
    expect([errors[0].extensions.code, errors[0].extensions.errors[0].parameter]).toEqual(['INVALID_INPUT', parameter]);
  });

  it.each<[string, string[]]>([
    ['nameContains: "port"', ['NLAMS', 'AUSYD', 'NOWHERE']],
    ['nameContains: "ROTT"', ['NLRTM']],
    ['nameContains: ".*"', ['NOWHERE']],
    ['nameContains: "(port"', ['NLAMS']],
    ['nameContains: "$"', []],
    ['nameStartsWith: "port"', ['AUSYD', 'NOWHERE']],
    ['nameStartsWith: " Port B"', ['AUSYD']],
    ['nameStartsWith: "."', []],
    ['nameStartsWith: "po", nameContains: "here"', ['NOWHERE']],
    ['nameContains: ""', ['AUSYD', 'MOVES', 'NLAMS', 'NLRTM', 'NOWHERE', 'SGSIN', 'USNYC']],
    ['nameContains: "port", orderBy: [{ field: "clientCode", direction: desc }]', ['NOWHERE', 'NLAMS', 'AUSYD']],
    ['clientCodes: ["SGSIN", "NLRTM", "nothing"]', ['NLRTM', 'SGSIN']],
    ['clientCodes: []', []],
    ['dateModifiedTo: "2001-01-01"', []],
    ['filter: [{ field: "latitudeNs", anyOf: ["S"] }]', ['AUSYD']],
    ['filter: [{ field: "body.latitudeDeg", anyOf: ["1", "51"] }]', ['NLRTM', 'SGSIN']],
    ['filter: [{ field: "creator", anyOf: ["nobody"] }]', []],
    ['orderBy: [{ field: "name", direction: asc }], first: 2', ['NLAMS', 'USNYC']],
    ['last: 2', ['SGSIN', 'USNYC']],
    ['offset: 5', ['SGSIN', 'USNYC']],
  ])('is found by search: %s', async (args, codes) => {
    const { data, errors } = await ask(`{ ports(${args}) { totalCount nodes { clientCode } } }`);
    expect(errors).toBeUndefined();
    expect(data.ports.nodes.map(({ clientCode }: { clientCode: string }) => clientCode)).toEqual(codes);
    if (!/first|last|offset/.test(args)) expect(data.ports.totalCount).toBe(codes.length);
  });

  it('is listed by cursors, forward and backward, which belong to their search', async () => {
    const page = (args: string) =>
      ask(
        `{ ports(${args}) { edges { cursor node { clientCode } } pageInfo { hasNextPage hasPreviousPage endCursor startCursor } totalCount } }`,
      );
    const codes = (body: { data: { ports: { edges: { node: { clientCode: string } }[] } } }) =>
      body.data.ports.edges.map(({ node }) => node.clientCode);
    const first = await page('first: 3');
    expect(codes(first)).toEqual(['AUSYD', 'MOVES', 'NLAMS']);
    expect(first.data.ports).toMatchObject({ totalCount: 7, pageInfo: { hasNextPage: true, hasPreviousPage: false } });
    const after = first.data.ports.pageInfo.endCursor;
    const second = await page(`first: 10, after: "${after}"`);
    expect(codes(second)).toEqual(['NLRTM', 'NOWHERE', 'SGSIN', 'USNYC']);
    expect(codes(await page(`last: 2, before: "${second.data.ports.pageInfo.startCursor}"`))).toEqual([
      'MOVES',
      'NLAMS',
    ]);
    const other = await page(`first: 3, after: "${after}", nameContains: "port"`);
    expect(other.errors[0].extensions.errors[0].parameter).toBe('after');
    const dated = await page(`first: 3, after: "${after}", dateModifiedFrom: "2020-01-01"`);
    expect(dated.errors[0].extensions.errors[0].parameter).toBe('after');
  });

  it.each([
    ['ports(dateModifiedFrom: "soon", dateModifiedTo: "x") { totalCount }', ['dateModifiedFrom', 'dateModifiedTo']],
    ['ports(filter: [{ field: "version_id", anyOf: ["x"] }]) { totalCount }', ['version_id']],
    ['ports(orderBy: [{ field: "nothing" }]) { totalCount }', ['orderBy']],
    ['port(clientCode: "") { name }', ['clientCode']],
  ])('refuses an invalid argument: %s', async (field, parameters) => {
    const { errors } = await ask(`{ ${field} }`);
    expect(errors[0].extensions.errors.map((fault: { parameter: string }) => fault.parameter)).toEqual(parameters);
  });

  it('refuses more codes than fit a page', async () => {
    const { errors } = await ask('query Q($c: [String!]) { ports(clientCodes: $c) { totalCount } }', {
      c: Array(1001).fill('x'),
    });
    expect(errors[0].extensions.errors[0].parameter).toBe('clientCodes');
  });
});
