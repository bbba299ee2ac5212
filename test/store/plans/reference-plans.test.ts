import { beforeAll, describe, expect, it } from 'vitest';
import { FIRST_WRITTEN, fillPorts, portCode } from '../../../bench/reference/reference-ports.ts';
import { serviceFixture } from '../../service.ts';
import { plansBy } from './plans.ts';

const PORTS = 12_000;
/** A page may examine a few more rows than it shows, but not all of them. */
const FEW = 500;

const service = serviceFixture();

beforeAll(async () => {
  await fillPorts(service.stores, PORTS);
});

const codes = encodeURIComponent(JSON.stringify(Array.from({ length: 200 }, (_, i) => portCode(i * 50))));
const time = (seconds: number) => new Date(FIRST_WRITTEN + seconds * 1_000).toISOString();
const search = (query = '') => service.ask('GET', `/api/rest/1.0/ports?${query}`, { as: 'client' });
const graphql = (query: string) => service.graphql(`{ ${query} }`);

describe('a search of reference records', () => {
  it.each<[string, () => Promise<{ status: number }>]>([
    ['page 1', () => search()],
    ['200 on a page', () => search('resultsPerPage=200')],
    ['a page far from the start', () => search('page=400')],
    ['a page beyond the end', () => search('page=9999')],
    ['what was written lately', () => search(`dateModifiedFrom=${time(PORTS - 20)}`)],
    ['what was written in a long time', () => search(`dateModifiedFrom=${time(PORTS / 10)}`)],
    ['a far page of what was written in a long time', () => search(`page=300&dateModifiedFrom=${time(PORTS / 10)}`)],
    ['200 client codes', () => search(`clientCodes=${codes}`)],
    ['the last page of 200 client codes', () => search(`page=8&clientCodes=${codes}`)],
    ['no client codes', () => search('clientCodes=[]')],
    ['the beginning of a name', () => graphql('ports(nameStartsWith: "port 77") { totalCount nodes { name } }')],
    ['a page by a cursor', () => graphql('ports(last: 5) { nodes { name } }')],
  ])('reads no more than it shows, by an index: %s', async (_what, work) => {
    for (const { ns, planSummary, docsExamined } of await plansBy(service, work)) {
      expect([ns, planSummary]).not.toEqual([ns, expect.stringContaining('COLLSCAN')]);
      expect([ns, planSummary, docsExamined <= FEW]).toEqual([ns, planSummary, true]);
    }
  });

  it('finds nearby places by the index of places', async () => {
    const work = () => graphql('portsNear(latitude: 51, longitude: 4, first: 5) { distanceKm }');
    for (const { planSummary } of await plansBy(service, work)) {
      expect(planSummary).toMatch(/^GEO_NEAR_2DSPHERE \{ tenant: 1, type: 1, position/);
    }
  });

  it('counts all records of a tenant without reading them', async () => {
    for (const { ns, keysExamined, command } of await plansBy(service, () => search('page=2'))) {
      expect([ns, command.find ?? command.aggregate, keysExamined <= FEW]).toEqual([ns, expect.anything(), true]);
    }
  });

  it('reads names by index alone when searching for a substring', async () => {
    const work = () => graphql('ports(nameContains: "0 of the north", first: 5) { nodes { name } }');
    for (const { planSummary, hasSortStage } of await plansBy(service, work)) {
      expect([planSummary, hasSortStage]).toEqual([expect.stringContaining('name_key: 1'), undefined]);
    }
  });
});

describe('one reference record', () => {
  it('is found, with its versions, by an index', async () => {
    const path = '/api/rest/1.0/ports/one';
    const put = () => service.ask('PUT', path, { as: 'client', body: { name: 'One' } });
    await put();
    const works = [
      put,
      () => service.ask('GET', path, { as: 'client' }),
      () => graphql('port(clientCode: "one") { versions { number } }'),
      () => service.ask('DELETE', path, { as: 'client' }),
    ];
    for (const work of works) {
      for (const { ns, planSummary } of await plansBy(service, work)) {
        expect([ns, planSummary]).toEqual([ns, expect.stringMatching(/^(IXSCAN|IDHACK|EXPRESS)/)]);
      }
    }
  });
});
