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

describe('a large specification', () => {
  it('is refused with more than a thousand tests', async () => {
    const ofTests = (count: number) => post(TYPE, withTests(Array.from({ length: count }, () => density)));
    expect(await ofTests(1_001)).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/body/tests', message: 'must have at most 1000 items.' }] },
    });
    expect((await ofTests(1_000)).status).toBe(201);
  });

  it('is read once for all results of a job, however many tests it has', async () => {
    const tests = Array.from({ length: 1_000 }, (_, at) => ({ test, maximum: at + 1 }));
    const specification = (await post(TYPE, withTests(tests))).body.id;
    const parent = (await post('svc.inspection.job', { specification })).body.id;
    const unit = { method: { name: 'D4294' }, uom: { name: 'mg/kg' } };
    const result = { status: 'confirmed', setNumber: 1, sample: { location: 'TK1' }, test, ...unit, result: '500' };
    const made = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, {
      as: 'vendor',
      body: {
        type: 'svc.inspection.qualityResult',
        body: Array.from({ length: 1_000 }, () => ({ ...result, parent })),
      },
    });
    expect(made.status).toBe(201);
    const before = process.cpuUsage();
    const { body } = await service.graphql(
      'query V($parent: UUID!) { qualityResults(where: { parentId: { eq: $parent } }, first: 1000) { nodes { verdict { conformity limit } } } }',
      { parent },
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.qualityResults.nodes[999].verdict).toEqual({ conformity: 'FAILS', limit: 1 });
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5);
  });
});
