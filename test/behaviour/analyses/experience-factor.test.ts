import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const jobs = new Map<string, string>();

/** A voyage as measured by the vessel and by the shore; returns the id of the vessel's record. */
async function voyage(
  activity: string,
  [vessel, shore]: [number, number],
  {
    onBoard,
    activeShoreTank,
    ...job
  }: { onBoard?: object[]; activeShoreTank?: boolean; [member: string]: unknown } = {},
): Promise<string> {
  const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
    as: 'vendor',
    body: { activity, transports: [{ name: 'MT Petrel' }], ...job },
  });
  const sides = activity === 'load' ? { source: shore, destination: vessel } : { source: vessel, destination: shore };
  for (const [direction, value] of Object.entries(sides)) {
    await service.ask('POST', `/workspaces/${workspace.id}/jobs/${made.body.id}/quantity`, {
      as: 'vendor',
      body: {
        direction,
        measurements: [
          { code: 'TCV', value, uom: { name: 'm3' } },
          ...(direction === (activity === 'load' ? 'destination' : 'source') ? (onBoard ?? []) : []),
        ],
        ...(activeShoreTank && direction === 'source' && { activeShoreTank }),
      },
    });
  }
  jobs.set(String(job.refNumber), made.body.id);
  return made.body.body.transports[0];
}

const QUERY = `query Factor($workspace: UUID!, $vessel: UUID!, $minimum: Int = 5, $excluding: UUID) {
  catalogRecord(workspace: $workspace, id: $vessel) {
    experienceFactor(minimum: $minimum, excluding: $excluding) {
      load { ...factor } discharge { ...factor } otherJobs { job { activity } reason } reason
    }
  }
}
fragment factor on ExperienceFactor {
  factor reason uom { name } used { vessel shore ratio job { refNumber } jobs { refNumber } } leftOut { code reason voyage { ratio jobs { refNumber } } }
}`;
const factorsOf = async (vessel: string, more: object = {}, as: 'client' | 'stranger' = 'client') =>
  (await service.graphql(QUERY, { workspace: workspace.id, vessel, ...more }, as)).body;

describe('the experience factor of a vessel', () => {
  it('is computed for loadings and discharges separately, including those of its synonyms', async () => {
    // loadings 1002 / 1000, 1001 / 1000, 1003 / 1000, 1002 / 1000, 1002 / 1000: 5010 / 5000 = 1.00200
    let vessel = '';
    for (const onBoard of [1002, 1001, 1003, 1002]) vessel = await voyage('load', [onBoard, 1000]);
    const synonym = await voyage('load', [1002, 1000], { transports: [{ name: 'Petrel' }], refNumber: 'L-5' });
    await voyage('discharge', [995, 1000]);
    await voyage('load', [1050, 1000], { refNumber: 'odd' });
    await voyage('load', [1000, 1000], { status: 'cancelled' });
    await voyage('load', [1000, 1000], { transports: [{ name: 'MT Petrel' }, { name: 'MT Tern' }] });
    await voyage('sts', [1000, 1000]);

    const alone = (await factorsOf(vessel)).data.catalogRecord.experienceFactor;
    expect(alone.load).toMatchObject({ factor: null, reason: '4 voyages qualify, and at least 5 are needed.' });
    await service.ask('POST', `/v2/workspaces/${workspace.id}/xrefs/transports/${vessel}/synonyms/${synonym}`, {
      as: 'vendor',
    });
    for (const record of [vessel, synonym]) {
      const { load, discharge, otherJobs, reason } = (await factorsOf(record)).data.catalogRecord.experienceFactor;
      expect([load.factor, load.uom.name, load.used.length, reason]).toEqual([1.002, 'm3', 5, null]);
      expect(load.used[0]).toMatchObject({ vessel: 1002, shore: 1000, ratio: 1.002, job: { refNumber: 'L-5' } });
      expect(load.leftOut.map((one: { reason: string }) => one.reason).sort()).toEqual([
        'Its ratio is not between 0.98 and 1.02.',
        'The job names 2 vessels: the figures are not those of one.',
        'The job was cancelled.',
      ]);
      expect(discharge).toMatchObject({ factor: null, used: [{ ratio: 0.995 }] });
      expect(otherJobs).toEqual([{ job: { activity: 'sts' }, reason: 'It is neither a loading nor a discharge.' }]);
    }
    const { discharge } = (await factorsOf(vessel, { minimum: 1 })).data.catalogRecord.experienceFactor;
    expect(discharge.factor).toBe(0.995);
  });

  it('counts a vessel once if a job names it twice, or together with its synonym', async () => {
    const transports = [{ name: 'MT Gadwall' }, { name: 'Gadwall' }];
    const vessel = await voyage('load', [1002, 1000], { transports });
    await voyage('load', [1001, 1000], { transports: [transports[0], transports[0]], refNumber: 'twice' });
    const found = async () =>
      (await factorsOf(vessel, { minimum: 1 })).data.catalogRecord.experienceFactor.load as {
        used: { ratio: number }[];
        leftOut: { reason: string }[];
      };
    const apart = await found();
    expect(apart.used.map(({ ratio }) => ratio)).toEqual([1.001]);
    expect(apart.leftOut.map(({ reason }) => reason)).toEqual([
      'The job names 2 vessels: the figures are not those of one.',
    ]);
    const names =
      'query N($w: UUID!) { catalogRecords(workspace: $w, where: { name: { eq: "Gadwall" } }) { nodes { id } } }';
    const [synonym] = (await service.graphql(names, { w: workspace.id })).body.data.catalogRecords.nodes;
    const link = `/v2/workspaces/${workspace.id}/xrefs/transports/${vessel}/synonyms/${synonym.id}`;
    await service.ask('POST', link, { as: 'vendor' });
    const together = await found();
    expect([together.used.map(({ ratio }) => ratio).sort(), together.leftOut]).toEqual([[1.001, 1.002], []]);
  });

  it('subtracts what was on board, combines grades, and leaves out what the standard excludes, with a code', async () => {
    const transports = [{ name: 'MT Skua' }];
    const m3 = { name: 'm3' };
    const made = { transports, status: 'complete' };
    // grades of one voyage: (20100 − 60) + 10030 = 30070 on board, 20000 + 10000 ashore: 1.00233
    await voyage('load', [20100, 20000], {
      ...{ ...made, tripNumber: '012N', refNumber: 'gasoil' },
      onBoard: [{ code: 'OBQ', value: 60, uom: m3 }],
    });
    await voyage('load', [10030, 10000], { ...made, tripNumber: '012N', refNumber: 'jet' });
    // 1003 − 1: ROB on a loading is not subtracted; 6.29 bbl OBQ are 1.00003 m3
    await voyage('load', [1003, 1000], {
      ...{ ...made, refNumber: 'barrels' },
      onBoard: [
        { name: 'OBQ', value: 6.29, uom: { name: 'bbl' } },
        { name: 'ROB', value: 500, uom: m3 },
      ],
    });
    await voyage('discharge', [1000, 997], {
      ...made,
      refNumber: 'out',
      onBoard: [{ code: 'rob', value: 2, uom: m3 }],
    });
    await voyage('load', [1000, 1000], { ...made, refNumber: 'tank', activeShoreTank: true });
    await voyage('load', [1000, 1000], { ...made, refNumber: 'under way', status: 'active' });
    await voyage('load', [1000, 1000], { ...made, refNumber: 'to come', status: 'pending' });
    await voyage('load', [1000, 1000], { ...made, refNumber: 'off', status: 'cancelled' });
    await voyage('load', [1050, 1000], { ...made, refNumber: 'odd' });
    await voyage('load', [1015, 1000], { ...made, refNumber: 'far' });
    // one active grade excludes the other with it
    await voyage('load', [1000, 1000], { ...made, tripNumber: '013N', refNumber: 'first grade' });
    const vessel = await voyage('load', [1000, 1000], {
      ...{ ...made, tripNumber: ' 013n ', refNumber: 'second grade', activeShoreTank: true },
    });

    const { load, discharge } = (await factorsOf(vessel)).data.catalogRecord.experienceFactor;
    const refs = (one: { jobs: { refNumber: string }[] }) => one.jobs.map(({ refNumber }) => refNumber).sort();
    expect(load.used.map((one: { jobs: []; ratio: number }) => [...refs(one), one.ratio])).toEqual([
      ['barrels', 1.002],
      ['gasoil', 'jet', 1.00233],
    ]);
    expect(load.used[1]).toMatchObject({ vessel: 30070, shore: 30000 });
    expect(discharge.used).toMatchObject([{ vessel: 998, shore: 997, ratio: 1.001 }]);
    const left = load.leftOut.map(({ code, voyage }: { code: string; voyage: { jobs: [] } }) => [
      code,
      ...refs(voyage),
    ]);
    expect(left.sort()).toEqual([
      ['ACTIVE_SHORE_TANK', 'first grade', 'second grade'],
      ['ACTIVE_SHORE_TANK', 'tank'],
      ['CANCELLED', 'off'],
      ['GROSS_ERROR', 'odd'],
      ['OUTLIER', 'far'],
      ['UNDER_WAY', 'to come'],
      ['UNDER_WAY', 'under way'],
    ]);
    const without = (await factorsOf(vessel, { excluding: jobs.get('jet') })).data.catalogRecord.experienceFactor.load;
    const excluded = without.leftOut.filter(({ code }: { code: string }) => code === 'EXCLUDED');
    expect([...excluded.map(({ voyage }: { voyage: { jobs: [] } }) => refs(voyage))]).toEqual([['gasoil', 'jet']]);
  });

  it('is visible to the parties only', async () => {
    const vessel = await voyage('load', [1, 1], { transports: [{ name: 'MT Gull' }] });
    const { data, errors } = await factorsOf(vessel, {}, 'stranger');
    expect([data?.catalogRecord ?? null, errors[0].extensions.code]).toEqual([null, 'FORBIDDEN']);
  });

  it('does not exist for records other than vessels', async () => {
    const made = await service.ask('POST', `/workspaces/${workspace.id}/catalogs/products`, {
      as: 'client',
      body: { name: 'Diesel' },
    });
    const { experienceFactor } = (await factorsOf(made.body.id)).data.catalogRecord;
    expect(experienceFactor).toMatchObject({
      reason: 'A record of the catalog products is not a vessel.',
      load: { factor: null, used: [] },
    });
  });

  it('refuses nonsensical constants, all at once', async () => {
    const vessel = await voyage('load', [1, 1], { transports: [{ name: 'MT Gull' }] });
    const { body } = await service.graphql(
      `query F($workspace: UUID!, $vessel: UUID!) { catalogRecord(workspace: $workspace, id: $vessel) {
        experienceFactor(voyages: 0, minimum: 9, lowest: 0, highest: -1, spread: 0, measurement: " ") { reason } } }`,
      { workspace: workspace.id, vessel },
    );
    const { code, errors } = body.errors[0].extensions;
    expect([code, errors.map(({ parameter }: { parameter: string }) => parameter)]).toEqual([
      'INVALID_INPUT',
      ['voyages', 'minimum', 'lowest', 'highest', 'spread', 'measurement'],
    ]);
  });
});
