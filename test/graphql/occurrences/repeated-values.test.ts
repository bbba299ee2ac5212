import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const made = async (method: string, path: string, body: unknown) => {
  const answer = await service.ask(method, `/workspaces/${workspace.id}${path}`, { as: 'vendor', body });
  expect([200, 201]).toContain(answer.status);
  return answer.body;
};

/** Events of a time log, each of which leads back to its job. */
const EVENTS = 30;

async function jobWith(body: object): Promise<string> {
  const { id } = await made('POST', '/jobs', body);
  const type = 'svc.inspection.timelog';
  const log = Array.from({ length: EVENTS }, () => ({ parent: id }));
  const options = { as: 'vendor', body: { type, body: log } } as const;
  expect((await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, options)).status).toBe(201);
  return id;
}

/** The answer to a query for a field of a job that occurs 900 times, and the processor time that it takes in seconds. */
async function timed(field: string, id: string) {
  const page = (inner: string) => `timeLog(first: ${EVENTS}) { job { ${inner} } }`;
  const before = process.cpuUsage();
  const { body } = await service.graphql(`query Q($id: UUID!) { job(id: $id) { ${page(page(field))} } }`, { id });
  return { body, seconds: process.cpuUsage(before).user / 1e6 };
}

describe('a value that occurs many times in an answer', () => {
  it('is compared once, if it is the change of a version', async () => {
    const many = Array.from({ length: 50_000 }, (_, at) => ({ at }));
    const id = await jobWith({ many });
    await made('PATCH', `/jobs/${id}`, { refNumber: 'R' });
    const { body, seconds } = await timed('versions(first: 1) { changes { path before after } }', id);
    const changes = [{ path: '/refNumber', before: null, after: 'R' }];
    expect(body.data.job.timeLog[EVENTS - 1].job.timeLog[0].job.versions).toEqual([{ changes }]);
    expect(seconds).toBeLessThan(3);
  });

  it('is made once, and counted each time, if it is the item of a catalog record', async () => {
    const members = Object.fromEntries(Array.from({ length: 15_000 }, (_, at) => [`m${at}`, 1]));
    const record = { name: 'Ocean Star', xref: 'OS', ...members };
    const { id: vessel } = await made('POST', '/catalogs/transports', record);
    const id = await jobWith({ transports: [vessel] });
    const { body, seconds } = await timed('transports { item }', id);
    expect(body.errors[0].extensions.code).toBe('ANSWER_TOO_LARGE');
    expect(seconds).toBeLessThan(3);
    const one = await service.graphql('query Q($id: UUID!) { job(id: $id) { transports { item } } }', { id });
    expect(one.body.data.job.transports[0].item).toEqual(record);
  });
});
