import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const TYPE = 'svc.inspection.specification';
const test = { name: 'Sulphur' };
const density = { test: { name: 'Density' }, uom: { name: 'kg/m3' }, minimum: 820, maximum: 845 };
const withTests = (tests: readonly object[]) => ({ product: { name: 'Diesel' }, tests });

const post = (type: string, body: object) =>
  service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, { as: 'client', body: { type, body } });

/** A job with a thousand results of one test, held against a thousand limits of it. */
async function largeJob(locationOf: (at: number) => string): Promise<string> {
  const tests = Array.from({ length: 1_000 }, (_, at) => ({ test, maximum: at + 1, reproducibility: 1 }));
  const specification = (await post(TYPE, withTests(tests))).body.id;
  const parent = (await post('svc.inspection.job', { specification })).body.id;
  const unit = { method: { name: 'D4294' }, uom: { name: 'mg/kg' } };
  const result = { parent, status: 'confirmed', setNumber: 1, test, ...unit, result: '500' };
  const results = Array.from({ length: 1_000 }, (_, at) => ({ ...result, sample: { location: locationOf(at) } }));
  const made = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, {
    as: 'vendor',
    body: { type: 'svc.inspection.qualityResult', body: results },
  });
  expect(made.status).toBe(201);
  return parent;
}

/** The answer to a query for a job, which may take five seconds of the processor: more than ten times what it takes. */
async function answerInTime(query: string, job: string) {
  const before = process.cpuUsage();
  const { body } = await service.graphql(query, { job });
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5);
  expect(body.errors).toBeUndefined();
  return body.data;
}

describe('a large specification', () => {
  it('is refused with more than a thousand tests', async () => {
    const ofTests = (count: number) => post(TYPE, withTests(Array.from({ length: count }, () => density)));
    expect(await ofTests(1_001)).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/body/tests', message: 'must have at most 1000 items.' }] },
    });
    expect((await ofTests(1_000)).status).toBe(201);
  });

  it('takes little time to check all results of a job, however many tests it has', async () => {
    const job = await largeJob(() => 'TK1');
    const verdicts = `query V($job: UUID!) {
      qualityResults(where: { parentId: { eq: $job } }, first: 1000) { nodes { verdict { conformity limit margin } } }
    }`;
    const { qualityResults } = await answerInTime(verdicts, job);
    expect(qualityResults.nodes[999].verdict).toEqual({ conformity: 'FAILS', limit: 1, margin: 0.59 });
    const aliases = Array.from({ length: 9 }, (_, at) => `a${at}: conformity { conformity }`);
    const many = `query C($job: UUID!) { job(id: $job) { ${aliases.join(' ')} figureAudit { passed } } }`;
    const { figureAudit, ...outcomes } = (await answerInTime(many, job)).job;
    expect(figureAudit.passed).toBe(true);
    for (const outcome of Object.values(outcomes) as object[][]) {
      expect([498, 499].map((at) => outcome[at])).toEqual([{ conformity: 'FAILS' }, { conformity: 'MEETS' }]);
      expect(outcome).toHaveLength(1_000);
    }
  });

  it('has no outcomes, and says why, if there would be more than five thousand', async () => {
    const query = `query C($job: UUID!) { job(id: $job) { conformity { location maximum conformity reason } } }`;
    const few = await answerInTime(query, await largeJob((at) => `Tank ${at % 5}`));
    expect(few.job.conformity).toHaveLength(5_000);
    expect(few.job.conformity[4_999]).toMatchObject({ location: 'Tank 4', maximum: 1_000, conformity: 'MEETS' });
    const many = await answerInTime(query, await largeJob((at) => `Tank ${at % 6}`));
    expect(many.job.conformity).toHaveLength(1_000);
    expect(many.job.conformity[999]).toEqual({
      ...{ location: null, maximum: 1_000, conformity: null },
      reason: 'The tests of the specification have more than 5000 outcomes at the sample locations of the job.',
    });
  });
});
