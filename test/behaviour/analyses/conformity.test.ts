import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const sulphur = {
  test: { name: 'Sulphur' },
  method: { name: 'D4294' },
  uom: { name: 'mg/kg' },
  maximum: 10,
  reproducibility: 1,
};
const density = { test: { name: 'Density' }, uom: { name: 'kg/m3' }, minimum: 820, maximum: 845 };

const post = async (type: string, body: object) => {
  const path = `/v2/workspaces/${workspace.id}/documents`;
  const made = await service.ask('POST', path, { as: 'vendor', body: { type: `svc.inspection.${type}`, body } });
  expect(made.status, made.text).toBe(201);
  return made.body.id as string;
};
const jobWith = async (...tests: object[]) =>
  post('job', { specification: await post('specification', { product: { name: 'Diesel' }, tests }) });
const report = (job: string, result: string, more: object = {}) => {
  const { test, method, uom } = sulphur;
  const body = { ...{ parent: job, status: 'confirmed', setNumber: 1 }, sample: { location: 'TK1' } };
  return post('qualityResult', { ...body, test, method, uom, result, ...more });
};
const ask = async (query: string, variables: object) => {
  const { body } = await service.graphql(query, variables);
  expect(body.errors).toBeUndefined();
  return body.data;
};

describe('the conformity of a job', () => {
  const CONFORMITY = `query C($job: UUID!) { job(id: $job) { conformity {
    test { name } method { name } uom { name } location minimum maximum reproducibility
    results { result laboratory } assignedValue step conformity reason } } }`;

  it('combines the results of laboratories for each test and sample location', async () => {
    const job = await jobWith(sulphur, density);
    const by = (laboratory: string, day: number) => ({ laboratory, date: `2026-05-0${day}` });
    await report(job, '11', by('Kestrivan', 1));
    await report(job, '9.4', by('Morlau', 1));
    await report(job, '10.4', by('Kestrivan', 2));
    await report(job, '9.8', by('morlau ', 3));
    await report(job, '10.2', { ...by('Kestrivan', 1), sample: { location: 'TK2' } });
    const { conformity } = (await ask(CONFORMITY, { job })).job;
    // 11 − 9.4 = 1.6 > 1: both test again, 10.4 − 9.8 = 0.6: (10.4 + 9.8) / 2 = 10.1, above the limit itself
    expect(conformity).toHaveLength(3);
    expect(conformity[0]).toMatchObject({
      ...{ test: { name: 'Sulphur' }, method: { name: 'D4294' }, uom: { name: 'mg/kg' }, location: 'TK1' },
      ...{ minimum: null, maximum: 10, reproducibility: 1 },
      ...{ assignedValue: 10.1, step: 'MEAN_OF_RETESTS', conformity: 'FAILS', reason: null },
    });
    expect(conformity[0].results.map(({ result }: { result: string }) => result)).toEqual(['11', '9.4', '10.4', '9.8']);
    expect(conformity[1]).toMatchObject({
      location: 'TK2',
      step: 'SINGLE',
      assignedValue: 10.2,
      conformity: 'DOUBTFUL',
    });
    expect(conformity[2]).toMatchObject({
      ...{ test: { name: 'Density' }, location: null, results: [], step: null, conformity: null },
      reason: 'There is no result that can be held against the limits.',
    });
  });

  it('takes results that name no laboratory for those of one laboratory more', async () => {
    const job = await jobWith(sulphur);
    await report(job, '11', { date: '2026-05-01' });
    await report(job, '10.4', { date: '2026-05-02', laboratory: ' ' });
    const assigned = async () => (await ask(CONFORMITY, { job })).job.conformity[0];
    expect(await assigned()).toMatchObject({ step: 'SINGLE', assignedValue: 10.4, conformity: 'DOUBTFUL' });
    await report(job, '10.2', { date: '2026-05-03', laboratory: 'Morlau' });
    expect(await assigned()).toMatchObject({ step: 'MEAN_OF_TWO', assignedValue: 10.6, conformity: 'FAILS' });
  });

  it('shows the assigned value behind the verdict', async () => {
    const job = await jobWith(sulphur, density);
    for (const [at, result] of ['10', '10.0000001'].entries()) await report(job, result, { laboratory: `L${at}` });
    const [found] = (await ask(CONFORMITY, { job })).job.conformity;
    expect(found).toMatchObject({ step: 'MEAN_OF_TWO', assignedValue: 10.00000005, conformity: 'FAILS' });
  });

  it.each([
    ['units', { uom: { name: '% m/m' } }, 'Results of laboratories in different units cannot be combined.'],
    ['methods', { method: { name: 'D5453' } }, 'Results of laboratories by different methods cannot be combined.'],
  ])(
    'is unknown where the specification names neither and laboratories use different %s',
    async (_what, other, reason) => {
      const { test, maximum, reproducibility } = sulphur;
      const job = await jobWith({ test, maximum, reproducibility });
      await report(job, '10.4', { laboratory: 'Kestrivan' });
      await report(job, '9.8', { laboratory: 'Morlau', ...other });
      const [found] = (await ask(CONFORMITY, { job })).job.conformity;
      expect(found).toMatchObject({
        results: { length: 2 },
        step: null,
        assignedValue: null,
        conformity: null,
        reason,
      });
    },
  );

  it('goes by the confirmed result of a laboratory, not by the preliminary one of the same test before it', async () => {
    const job = await jobWith(sulphur);
    const by = (laboratory: string, status: string, day = 1) => ({ laboratory, status, date: `2026-05-0${day}` });
    await report(job, '11', by('Kestrivan', 'preliminary'));
    await report(job, '9.6', by('Morlau', 'confirmed'));
    const assigned = async () => (await ask(CONFORMITY, { job })).job.conformity[0];
    expect(await assigned()).toMatchObject({ step: 'RETEST_NEEDED' });
    await report(job, '10', by('Kestrivan', 'confirmed', 2));
    expect(await assigned()).toMatchObject({ step: 'RETEST_NEEDED' });
    await report(job, '10.2', by('Kestrivan', 'confirmed'));
    // (10.2 + 9.6) / 2 = 9.9; one that is preliminary again is another test
    await report(job, '12', by('Kestrivan', 'preliminary'));
    const results = ['11', '9.6', '10.2', '12', '10'].map((result) => ({ result }));
    expect(await assigned()).toMatchObject({ step: 'MEAN_OF_TWO', assignedValue: 9.9, conformity: 'MEETS', results });
  });

  it('is unknown once a bound takes the place of a number, and shows no number from before', async () => {
    const job = await jobWith(sulphur);
    const by = (laboratory: string, day: number) => ({ laboratory, date: `2026-05-0${day}` });
    const assigned = async () => (await ask(CONFORMITY, { job })).job.conformity[0];
    const reason = 'The result is a bound, not a number.';
    const unknown = { step: null, assignedValue: null, conformity: null, reason };
    await report(job, '12', by('Kestrivan', 1));
    expect(await assigned()).toMatchObject({ step: 'SINGLE', assignedValue: 12, conformity: 'FAILS' });
    await report(job, '<3', by('Kestrivan', 2));
    expect(await assigned()).toMatchObject({ ...unknown, results: [{ result: '12' }] });
    await report(job, 'N/A', by('Kestrivan', 3));
    expect(await assigned()).toMatchObject(unknown);
    await report(job, '2.9', by('Kestrivan', 4));
    expect(await assigned()).toMatchObject({ step: 'SINGLE', assignedValue: 2.9, conformity: 'MEETS' });
    await report(job, '<5', by('Morlau', 1));
    expect(await assigned()).toMatchObject({ ...unknown, results: { length: 2 } });
  });

  it('combines results whose units and methods are synonyms', async () => {
    const { test, maximum, reproducibility } = sulphur;
    const job = await jobWith({ test, maximum, reproducibility });
    await report(job, '10.4', { laboratory: 'Kestrivan' });
    await report(job, '9.6', { laboratory: 'Morlau', uom: { name: 'ppm' }, method: { name: 'ASTM D4294' } });
    const query = `query R($job: UUID!) { job(id: $job) { qualityResults { uom { id } method { id } } } }`;
    const [one, two] = (await ask(query, { job })).job.qualityResults;
    for (const [catalog, a, b] of [
      ['uom', one.uom, two.uom],
      ['methods', one.method, two.method],
    ]) {
      const link = `/v2/workspaces/${workspace.id}/xrefs/${catalog}/${a.id}/synonyms/${b.id}`;
      expect((await service.ask('POST', link, { as: 'vendor' })).status).toBeLessThan(300);
    }
    const [found] = (await ask(CONFORMITY, { job })).job.conformity;
    expect(found).toMatchObject({ step: 'MEAN_OF_TWO', assignedValue: 10, conformity: 'MEETS', reason: null });
  });
});
