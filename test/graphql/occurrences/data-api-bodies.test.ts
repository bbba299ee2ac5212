import { expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const make = (path: string, type: string, body: unknown) =>
  service.ask('POST', `/v2/workspaces/${workspace.id}/documents${path}`, { as: 'vendor', body: { type, body } });

/** A job with this many events in its time log, each of which leads back to it. */
async function jobWith(events: number, body: object): Promise<string> {
  const parent = (await make('', 'svc.inspection.job', body)).body.id;
  const log = Array.from({ length: events }, () => ({ parent }));
  if (events > 0) expect((await make('/bulk', 'svc.inspection.timelog', log)).status).toBe(201);
  return parent;
}

/** The answer to a query for a job, and the processor time that it takes in seconds. */
async function timed(query: string, id: string) {
  const before = process.cpuUsage();
  const { body } = await service.graphql(query, { id });
  const { user, system } = process.cpuUsage(before);
  return { body, seconds: (user + system) / 1e6 };
}

const within = (levels: number, count: number, fields: string): string =>
  levels === 0 ? fields : `timeLog(first: ${count}) { job { ${within(levels - 1, count, fields)} } }`;

it('the body of a job is made once for an answer that has it many times, and is counted each time', async () => {
  const id = await jobWith(40, { notes: 'x'.repeat(1_000_000) });
  const { body, seconds } = await timed(
    `query Q($id: UUID!) { job(id: $id) { ${within(2, 40, 'dataApiBody bridgeBody')} } }`,
    id,
  );
  expect(body.errors?.[0]?.extensions.code).toBe('ANSWER_TOO_LARGE');
  expect(seconds).toBeLessThan(2);
});

it('a body that fits is the same wherever it occurs', async () => {
  const id = await jobWith(3, { refNumber: 'R', transports: [{ name: 'Ocean Star', imo: '9'.repeat(7) }] });
  const { body } = await timed(
    `query Q($id: UUID!) { job(id: $id) { dataApiBody ${within(2, 3, 'dataApiBody')} } }`,
    id,
  );
  const { dataApiBody, timeLog } = body.data.job;
  expect(dataApiBody).toMatchObject({ refNumber: 'R', transports: [{ name: 'Ocean Star', imo: '9999999' }] });
  expect(timeLog[2].job.timeLog[2].job.dataApiBody).toEqual(dataApiBody);
});

it('a body of very many members is made about as fast as it is copied', async () => {
  const members = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`m${at}`, 1]));
  const ids = await Promise.all(Array.from({ length: 4 }, () => jobWith(0, members)));
  const spent = async (field: string) => {
    let sum = 0;
    for (const id of ids) sum += (await timed(`query Q($id: UUID!) { job(id: $id) { ${field} } }`, id)).seconds;
    return sum;
  };
  // The least of several rounds: what else the machine does takes processor time too.
  let [copied, made] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 4; round++) {
    copied = Math.min(copied, await spent('body'));
    made = Math.min(made, await spent('dataApiBody'));
  }
  expect(made).toBeLessThan(2.75 * copied); // made member by member, it takes more than three times as long
});
