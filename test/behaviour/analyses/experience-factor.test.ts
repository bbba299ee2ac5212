import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

/** A voyage: what the vessel and what the shore measured; the id of the vessel's record. */
async function voyage(activity: string, [vessel, shore]: [number, number], job: object = {}): Promise<string> {
  const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
    as: 'vendor',
    body: { activity, transports: [{ name: 'MT Petrel' }], ...job },
  });
  const sides = activity === 'load' ? { source: shore, destination: vessel } : { source: vessel, destination: shore };
  for (const [direction, value] of Object.entries(sides)) {
    await service.ask('POST', `/workspaces/${workspace.id}/jobs/${made.body.id}/quantity`, {
      as: 'vendor',
      body: { direction, measurements: [{ code: 'TCV', value, uom: { name: 'm3' } }] },
    });
  }
  return made.body.body.transports[0];
}

const QUERY = `query Factor($workspace: UUID!, $vessel: UUID!, $minimum: Int = 5) {
  catalogRecord(workspace: $workspace, id: $vessel) {
    experienceFactor(minimum: $minimum) {
      load { ...factor } discharge { ...factor } otherJobs { job { activity } reason } reason
    }
  }
}
fragment factor on ExperienceFactor {
  factor reason uom { name } used { vessel shore ratio job { refNumber } } leftOut { reason voyage { ratio } }
}`;
const factorsOf = async (vessel: string, more: object = {}, as: 'client' | 'stranger' = 'client') =>
  (await service.graphql(QUERY, { workspace: workspace.id, vessel, ...more }, as)).body;

describe('the experience factor of a vessel', () => {
  it('is made of its loadings and of its discharges apart, those of its synonyms included', async () => {
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
      expect(load.used[0]).toEqual({ vessel: 1002, shore: 1000, ratio: 1.002, job: { refNumber: 'L-5' } });
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

  it('is for the parties alone', async () => {
    const vessel = await voyage('load', [1, 1], { transports: [{ name: 'MT Gull' }] });
    const { data, errors } = await factorsOf(vessel, {}, 'stranger');
    expect([data?.catalogRecord ?? null, errors[0].extensions.code]).toEqual([null, 'FORBIDDEN']);
  });

  it('does not exist for what is no vessel', async () => {
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

  it('refuses constants that make no sense, all at once', async () => {
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
