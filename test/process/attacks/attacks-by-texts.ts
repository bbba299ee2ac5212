import type { Fixture, Sent } from './attacked-service.ts';
import type { Attack } from './attacks.ts';

/** A letter with combining marks in an order that takes n² steps to normalize. */
const marked = (count: number): string => `a${'\u0315'.repeat(count)}${'\u0334'.repeat(count)}`;
/** A number that a double cannot hold exactly, written with that many zeros. */
const zeros = (count: number, whole = '12345678901234567890'): string => `${whole}.${'0'.repeat(count)}1`;

const ORGANIZATIONS = 'query($t:String!){organizations(nameContains:$t){totalCount}}';
const PORTS = (sought: string): string => `query($t:String!){ports(${sought}){totalCount}}`;
const LONG = 'a'.repeat(20_000_000);
const NOTED = 'query($t:String!){jobs(where:{notes:{contains:$t}}){totalCount}}';
const NAMED = 'query($t:String!){jobs(where:{location:{name:{eq:$t}}}){totalCount}}';

/** Short inputs that take long to read, compare or analyse; stored ones are also analysed in the background. */
export function attacksByTexts({ ask, graphql, workspace, job }: Fixture): readonly Attack[] {
  const legacy = `/workspaces/${workspace}`;
  const created = async (path: string, body: object): Promise<{ readonly id: string }> =>
    JSON.parse((await ask('POST', path, body)).text);
  const audited = (id: string): Promise<Sent> =>
    graphql(
      'query($id:UUID!){job(id:$id){figureAudit{passed} quantityReconciliation{outturn{code}} qualitySummary{results}}}',
      { id },
    );
  /** The audit of a job with one report. */
  const withReport = async (path: string, body: object): Promise<Sent> => {
    const { id } = await created(`${legacy}/jobs`, { refNumber: 'TEXTS' });
    await created(`${legacy}/jobs/${id}/${path}`, body);
    return audited(id);
  };
  const nearlyEverywhere = async (): Promise<Sent> => {
    await created(`${legacy}/jobs`, { notes: 'a'.repeat(1_000_000) });
    return graphql(NOTED, { t: `${'a'.repeat(7_999)}b` });
  };
  const measurements = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ code: `C${at % (count / 2)}`, value: 1 }));
  const onBothSides = async (): Promise<Sent> => {
    const { id } = await created(`${legacy}/jobs`, { refNumber: 'SIDES' });
    for (const direction of ['source', 'destination']) {
      await created(`${legacy}/jobs/${id}/quantity`, { direction, measurements: measurements(10_000) });
    }
    return graphql('query($id:UUID!){job(id:$id){quantityReconciliation{outturn{code}}}}', { id });
  };
  const result = (value: string) => ({
    ...{ status: 'confirmed', setNumber: 1, sample: { location: 'tank' }, test: { name: 'Density' } },
    ...{ method: { name: 'ASTM D4052' }, uom: { name: 'kg/m3' }, result: value },
  });
  return [
    [
      'a number of 60,000 zeros, by nobody',
      () =>
        ask('POST', '/api/rest/1.0/session', `{"username":"a","password":"b","n":${zeros(60_000)}}`, {
          Authorization: '',
        }),
      401,
      /UNAUTHENTICATED/,
    ],
    [
      'a number of a million zeros',
      () => ask('PATCH', `${legacy}/jobs/${job}`, `{"n":${zeros(1_000_000, '10000000000000000')}}`),
      200,
      /ATTACKED/,
    ],
    [
      'one that an answer would change',
      () => ask('PATCH', `${legacy}/jobs/${job}`, `{"n":${zeros(1_000_000)}}`),
      400,
      /n: is a number beyond/,
    ],
    ['marks in a name that is sought', () => graphql(ORGANIZATIONS, { t: marked(4_000 - 1) }), 200, /"totalCount":0/],
    ['more of them', () => graphql(ORGANIZATIONS, { t: marked(70_000) }), 400, /nameContains: may have at most 8000/],
    ['a name of 20 MB', () => graphql(ORGANIZATIONS, { t: LONG }), 400, /nameContains: may have at most 8000/],
    ['a part of a name of 20 MB', () => graphql(PORTS('nameContains:$t'), { t: LONG }), 400, /at most 8000/],
    ['a beginning of 20 MB', () => graphql(PORTS('nameStartsWith:$t'), { t: LONG }), 400, /at most 8000/],
    ['a code of 20 MB', () => graphql(PORTS('clientCodes:[$t]'), { t: LONG }), 400, /at most 1000000/],
    ['a text that is nearly everywhere', nearlyEverywhere, 200, /"totalCount":0/],
    ['marks in a name that is compared', () => graphql(NAMED, { t: marked(70_000) }), 200, /"totalCount":0/],
    [
      'marks in a name that is stored',
      () => ask('POST', `${legacy}/jobs`, { transports: [{ name: marked(50_000) }] }),
      201,
      /"transports":/,
    ],
    [
      'a unit of 20,000 spaces',
      () =>
        withReport('quantity', {
          measurements: [{ code: 'GOV', value: 1, uom: { name: `a${' '.repeat(20_000)}b` } }],
        }),
      200,
      /"passed":/,
    ],
    ['a result of 100,000 spaces', () => withReport('quality', result(`<${' '.repeat(100_000)}x`)), 200, /"results":1/],
    ['a result of 100,000 digits', () => withReport('quality', result(`${'1'.repeat(100_000)}x`)), 200, /"results":1/],
    [
      'a value of 100,000 digits',
      () => withReport('quantity', { measurements: [{ code: 'GOV', value: `${'1'.repeat(100_000)}x` }] }),
      200,
      /"passed":/,
    ],
    ['10,000 measurements on each side, each twice', onBothSides, 200, /"outturn"|ANSWER_TOO_LARGE|COST_EXCEEDED/],
  ];
}
