import { afterAll, beforeAll } from 'vitest';
import { type Caller, startTestService, type TestService } from '../service.ts';

/** The service with the ports; available from the first test on. */
export let service: TestService;

/** Ports with their coordinates, from west to east. */
export const PORTS = [
  {
    code: 'USNYC',
    name: 'New York',
    latitudeDeg: 40,
    latitudeMin: 42,
    latitudeNs: 'N',
    longitudeDeg: 74,
    longitudeMin: 0.6,
    longitudeWe: 'W',
  },
  {
    code: 'NLRTM',
    name: 'Rotterdam',
    latitudeDeg: 51,
    latitudeMin: 57,
    latitudeNs: 'N',
    longitudeDeg: 4,
    longitudeMin: 8,
    longitudeSec: 30,
    longitudeWe: 'E',
  },
  {
    code: 'NLAMS',
    name: 'Amsterdam (Port of)',
    latitudeDeg: 52.4,
    latitudeNs: 'N',
    longitudeDeg: 4.8,
    longitudeWe: 'E',
  },
  {
    code: 'SGSIN',
    name: 'Singapore',
    latitudeDeg: 1,
    latitudeMin: 15,
    latitudeNs: 'N',
    longitudeDeg: 103,
    longitudeMin: 50,
    longitudeWe: 'E',
  },
  {
    code: 'AUSYD',
    name: 'Port Botany',
    latitudeDeg: 33,
    latitudeMin: 58,
    latitudeNs: 'S',
    longitudeDeg: 151,
    longitudeMin: 13,
    longitudeWe: 'E',
  },
  { code: 'NOWHERE', name: 'port of nowhere.*', latitudeDeg: 5, longitudeDeg: 5 },
];

/** Creates a test file's ports. */
export function portsFixture(): void {
  beforeAll(async () => {
    service = await startTestService();
    for (const { code, ...body } of PORTS) await put('Port', code, body);
  });
  afterAll(() => service.stop());
}

export const put = async (name: string, clientCode: string, body: object, as: Caller = 'client') => {
  const one = `${name[0]?.toLowerCase()}${name.slice(1)}`;
  const mutation = `mutation P($c: String!, $b: ${name}Body!) {
    put${name}(clientCode: $c, body: $b) { created ${one} { clientCode versionId } }
  }`;
  const { body: answer } = await service.graphql(mutation, { c: clientCode, b: body }, as);
  return answer.data?.[`put${name}`] ?? answer.errors[0].extensions;
};
export const ask = async (query: string, variables: object = {}, as: Caller = 'client') =>
  (await service.graphql(query, variables, as)).body;
