import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const m3 = { name: 'm3' };

const post = async (type: string, body: object, as: 'client' | 'vendor' = 'vendor') => {
  const made = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, {
    as,
    body: { type: `svc.inspection.${type}`, body },
  });
  expect(made.status, made.text).toBe(201);
  return made.body.id as string;
};
const measured = (figures: Readonly<Record<string, number>>) =>
  Object.entries(figures).map(([code, value]) => ({ code, value, uom: m3 }));
const quality = (parent: string, more: object = {}) =>
  post('qualityResult', {
    ...{ parent, status: 'confirmed', setNumber: 1, sample: { location: 'TK1' } },
    ...{ test: { name: 'Sulphur' }, method: { name: 'D4294' }, uom: { name: 'mg/kg' }, result: '8' },
    ...more,
  });

const QUERY = `query Audit($job: UUID!) { job(id: $job) { figureAudit { passed checked findings {
  rule severity message expected actual difference document { id __typename } } } } }`;
const auditOf = async (job: string) => {
  const { body } = await service.graphql(QUERY, { job });
  expect(body.errors).toBeUndefined();
  return body.data.job.figureAudit;
};
const rulesOf = (audit: { findings: { rule: string }[] }) => audit.findings.map(({ rule }) => rule);

/** Diesel of 850 kg/m³ at 30 °C by table 54B: 0.987493; S&W 0.05 %. */
const RIGHT = {
  ...{ waterPerc: 0.03, sedimentPerc: 0.02, sedimentWaterPerc: 0.05, density15c: 850, api: 34.9 },
  ...{ meanTemp: { value: 30, uom: { name: '°C' } }, vcfTable: { name: 'ASTM 54B' }, activeShoreTank: false },
  measurements: measured({ TOV: 10010, FW: 10, GOV: 10000, GSV: 9875, TCV: 9885, NSV: 9870.063 }),
};

describe('the figure audit of a job', () => {
  it('has no finding when everything is right', async () => {
    const job = await post('job', {
      status: 'complete',
      activity: 'load',
      requested: { quality: true, quantity: true },
    });
    for (const direction of ['source', 'destination'])
      await post('quantityResult', { parent: job, direction, ...RIGHT });
    await quality(job, { isOffSpec: false });
    expect(await auditOf(job)).toEqual({
      passed: true,
      checked: [
        ...['VOLUME_ORDER', 'NET_VOLUME', 'SEDIMENT_WATER_SUM', 'API_DENSITY', 'CORRECTION_FACTOR'],
        ...['TEMPERATURE_GRAVITY_SWAPPED', 'ACTIVE_SHORE_TANK', 'REQUESTED_RESULT_MISSING'],
        'OFF_SPECIFICATION_WITHOUT_RETEST',
      ],
      findings: [],
    });
  });

  it('names the faulty report, the expected value and the actual one', async () => {
    const job = await post('job', { status: 'active', activity: 'load' });
    await post('quantityResult', { parent: job, direction: 'source', ...RIGHT });
    const wrong = await post('quantityResult', {
      ...{ parent: job, direction: 'destination', ...RIGHT, density15c: 0.85, api: 30, sedimentWaterPerc: 0.5 },
      ...{ meanTemp: { value: 34.9, uom: { name: 'Deg C' } }, activeShoreTank: true },
      measurements: measured({ GOV: 9000, GSV: 9875, NSV: 9900 }),
    });
    const audit = await auditOf(job);
    expect(audit.passed).toBe(false);
    expect(rulesOf(audit)).toEqual([
      ...['VOLUME_ORDER', 'VOLUME_ORDER', 'NET_VOLUME', 'SEDIMENT_WATER_SUM', 'API_DENSITY', 'CORRECTION_FACTOR'],
      ...['TEMPERATURE_GRAVITY_SWAPPED', 'ACTIVE_SHORE_TANK'],
    ]);
    expect(audit.findings[0]).toEqual({
      ...{ rule: 'VOLUME_ORDER', severity: 'ERROR', message: 'NSV is above GSV.' },
      ...{ expected: 9875, actual: 9900, difference: 25, document: { id: wrong, __typename: 'QuantityResult' } },
    });
    for (const { document } of audit.findings) expect(document.id).toBe(wrong);
  });

  it('compares percentages with other jobs of the product', async () => {
    const cargo = { product: { name: 'Odem crude' } };
    const with_ = async (waterPerc: number, product: object = cargo) => {
      const job = await post('job', { cargo: product });
      await post('quantityResult', { parent: job, direction: 'source', waterPerc });
      return job;
    };
    for (const percent of [0.02, 0.03]) await with_(percent);
    const job = await with_(0.3);
    await with_(0.3, { product: { name: 'Another crude' } });
    expect((await auditOf(job)).checked).toEqual([]);
    await with_(0.05);
    expect((await auditOf(job)).findings).toMatchObject([
      { rule: 'PERCENTAGE_HISTORY', severity: 'WARNING', expected: 0.03, actual: 0.3, difference: 0.27 },
    ]);
  });

  it('also compares a percentage with the other results of the same job', async () => {
    const cargo = { product: { name: 'Galdra crude' } };
    const results = async (...percents: number[]) => {
      const parent = await post('job', { cargo });
      const directions = ['destination', 'source'];
      const made = percents.map((waterPerc, at) =>
        post('quantityResult', { parent, direction: directions[at], waterPerc }),
      );
      return { parent, made: await Promise.all(made) };
    };
    for (const percent of [0.02, 0.03]) await results(percent);
    const { parent, made } = await results(0.02, 0.3);
    const { checked, findings } = await auditOf(parent);
    expect(checked).toEqual(['PERCENTAGE_HISTORY']);
    expect(findings).toMatchObject([{ expected: 0.02, actual: 0.3, difference: 0.28, document: { id: made[1] } }]);
  });

  it('compares ship to shore with what is usual for the vessel', async () => {
    const voyage = async (vessel: number, obq = 0) => {
      const job = await post('job', { activity: 'load', status: 'complete', transports: [{ name: 'MT Guillemot' }] });
      await post('quantityResult', { parent: job, direction: 'source', measurements: measured({ TCV: 1000 }) });
      const destination = { direction: 'destination', measurements: measured({ TCV: vessel, OBQ: obq }) };
      return { job, report: await post('quantityResult', { parent: job, ...destination }) };
    };
    for (let i = 0; i < 4; i++) await voyage(1002);
    const { job, report } = await voyage(1016, 1);
    expect((await auditOf(job)).checked).not.toContain('SHIP_SHORE_FACTOR');
    await voyage(1002);
    // (1016 − 1) / 1000 = 1.015 against 1.002 ± 0.003006
    expect((await auditOf(job)).findings).toMatchObject([
      { rule: 'SHIP_SHORE_FACTOR', expected: 1.002, actual: 1.015, difference: 0.013, document: { id: report } },
    ]);
  });

  it('checks results against what was requested, retested and specified', async () => {
    const specification = await post('specification', {
      product: { name: 'Diesel' },
      tests: [{ test: { name: 'Sulphur' }, maximum: 10, reproducibility: 1 }],
    });
    const job = await post('job', {
      ...{ specification, status: 'complete', activity: 'load' },
      requested: { quality: true, quantity: true, timelog: true },
    });
    const wrong = await quality(job, { result: '12', isOffSpec: false });
    await quality(job, { result: '10.5', isOffSpec: true, sample: { location: 'TK2' } });
    const audit = await auditOf(job);
    expect(audit.findings).toMatchObject([
      { rule: 'REQUESTED_RESULT_MISSING', document: { id: job, __typename: 'Job' } },
      { rule: 'REQUESTED_RESULT_MISSING', document: { id: job } },
      { rule: 'OFF_SPECIFICATION_WITHOUT_RETEST', document: { __typename: 'QualityResult' } },
      { rule: 'SPECIFICATION_DISAGREES', severity: 'ERROR', expected: 10, actual: 12, document: { id: wrong } },
    ]);
    expect(audit.findings[0].message).toContain('quantity result');
    await quality(job, { result: '9', isOffSpec: false, sample: { location: 'TK2' }, setNumber: 2 });
    expect(rulesOf(await auditOf(job))).not.toContain('OFF_SPECIFICATION_WITHOUT_RETEST');
  });

  it('asks for no retest of a result without a test, which no later result could settle', async () => {
    const job = await post('job', { status: 'active', activity: 'load' });
    const body = { result: '12', isOffSpec: true, sample: { location: 'TK1' } };
    const { status } = await service.ask('POST', `/workspaces/${workspace.id}/jobs/${job}/quality`, {
      as: 'vendor',
      body,
    });
    expect(status).toBe(201);
    expect(await auditOf(job)).toEqual({ passed: true, checked: [], findings: [] });
  });

  it('is visible to the parties only, and refuses nonsensical thresholds', async () => {
    const job = await post('job', {});
    const strange = await service.graphql(QUERY, { job }, 'stranger');
    expect(strange.body.errors[0].extensions.code).toBe('FORBIDDEN');
    const { body } = await service.graphql(
      `query A($job: UUID!) { job(id: $job) {
        figureAudit(factorTolerance: -1, netTolerance: -1, sumTolerance: -1, apiTolerance: -1, maximumFactor: 0,
          historyRatio: 1, shipShoreSpread: -1) { passed } } }`,
      { job },
    );
    expect([body.errors[0].extensions.code, body.errors[0].extensions.errors.length]).toEqual(['INVALID_INPUT', 7]);
  });
});
