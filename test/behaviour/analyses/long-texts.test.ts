import { expect, it } from 'vitest';
import { decimalOf } from '../../../src/domain/analysis/decimal.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const make = (path: string, type: string, body: unknown) =>
  service.ask('POST', `/v2/workspaces/${workspace.id}/documents${path}`, { as: 'vendor', body: { type, body } });

it('a result of megabytes is read once for all its occurrences in an answer', async () => {
  const parent = (await make('', 'svc.inspection.job', {})).body.id;
  const result = {
    ...{ parent, status: 'confirmed', setNumber: 1, test: { name: 'Sulphur' }, method: { name: 'D4294' } },
    ...{ uom: { name: 'mg/kg' }, sample: { location: 'SHIP' }, result: `${' '.repeat(8_000_000)}12` },
  };
  expect((await make('', 'svc.inspection.qualityResult', result)).status).toBe(201);
  const events = Array.from({ length: 80 }, () => ({ parent }));
  expect((await make('/bulk', 'svc.inspection.timelog', events)).status).toBe(201);
  const value = 'job { qualityResults(first: 1) { value { number } } }';
  const query = `query($id: UUID!) { job(id: $id) { timeLog(first: 80) { job { timeLog(first: 80) { ${value} } } } } }`;
  const before = process.cpuUsage();
  const { body } = await service.graphql(query, { id: parent });
  expect(body.data.job.timeLog[79].job.timeLog[79].job.qualityResults).toEqual([{ value: { number: 12 } }]);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(4);
});

it('no text of more than 100 characters is a number, so that computing with it takes no longer than with others', () => {
  expect(decimalOf(`0.${'3'.repeat(98)}`)?.toNumber()).toBeCloseTo(1 / 3);
  expect(decimalOf(`0.${'3'.repeat(99)}`)).toBeUndefined();
});
