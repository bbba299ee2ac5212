import { beforeAll, describe, expect, it } from 'vitest';
import { resultFixture } from './result-fixture.ts';

const QUANTITY = 'svc.inspection.quantityResult';
const TIMELOG = 'svc.inspection.timelog';

const { documents, listed, newJob, patch, post, service, workspace } = resultFixture();
let job: string;

beforeAll(async () => {
  job = await newJob();
});

describe('a time log event', () => {
  it('does not end before it starts', async () => {
    const { status, body } = await post(TIMELOG, { parent: job, start: '2026-01-02', end: '2026-01-01T23:59:59Z' });
    expect([status, body.errors.map(({ path }: { path: string }) => path)]).toEqual([400, ['/body/end']]);
    const made = await post(TIMELOG, { parent: job, start: '2026-01-02T01:00:00+01:00', end: '2026-01-02T00:00:00Z' });
    expect(made.status).toBe(201);
    const moved = await patch(made.body.id, { start: '2026-01-03' });
    expect([moved.status, moved.body.errors[0].path]).toEqual([400, '/body/end']);
  });

  it.each([
    ['2026-01-02T00:00:00.0009Z', '2026-01-02T00:00:00.0001Z', 400],
    ['2026-01-02T00:00:00.0009Z', '2026-01-02T00:00:00Z', 400],
    ['2026-01-02T00:00:00.12345Z', '2026-01-02T01:00:00.1234+01:00', 400],
    ['2026-01-02T00:00:00.0001Z', '2026-01-02T00:00:00.0009Z', 201],
    ['2026-01-02T00:00:00.00010Z', '2026-01-02T00:00:00.0001Z', 201],
    ['2026-01-02T00:00:00.0009Z', '2026-01-02T00:00:00.001Z', 201],
  ])('from %s to %s is compared below the millisecond', async (start, end, status) => {
    expect((await post(TIMELOG, { parent: job, start, end })).status).toBe(status);
  });

  it('filters by the type in its body, not in the envelope', async () => {
    const { id, body } = (await post(TIMELOG, { parent: job, type: { name: 'Berthed' }, category: 'event' })).body;
    expect(await listed(TIMELOG, `filter[type]=${body.type}`)).toEqual([id]);
    expect(await listed(TIMELOG, 'filter[type.name]=Berthed')).toEqual([id]);
    const answer = await service.graphql(`{ timeLogEvent(id: "${id}") { type eventType { name } category } }`);
    expect(answer.body.data.timeLogEvent).toEqual({ type: TIMELOG, eventType: { name: 'Berthed' }, category: 'event' });
  });

  it('has a category of the interface', async () => {
    expect((await post(TIMELOG, { parent: job, category: 'pause' })).status).toBe(400);
  });
});

describe('the quantity results of a job', () => {
  it('are limited to one for each direction', async () => {
    const parent = await newJob();
    expect((await post(QUANTITY, { parent, direction: 'source' })).status).toBe(201);
    const second = await post(QUANTITY, { parent, direction: 'source' });
    expect([second.status, second.body.code]).toEqual([409, 'DUPLICATE_DIRECTION']);
    const other = await post(QUANTITY, { parent, direction: 'destination' });
    const moved = await patch(other.body.id, { direction: 'source' });
    expect([moved.status, moved.body.code]).toEqual([409, 'DUPLICATE_DIRECTION']);
    expect((await patch(other.body.id, { direction: null })).status).toBe(200);
    expect((await post(QUANTITY, { parent, direction: 'destination' })).status).toBe(201);
  });

  it('are unlimited without a direction', async () => {
    const parent = await newJob();
    for (let i = 0; i < 3; i++) expect((await post(QUANTITY, { parent })).status).toBe(201);
  });

  it('stay one for each direction when twenty requests come at once, also with new records', async () => {
    const parent = await newJob();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        post(QUANTITY, { parent, direction: 'source', ...(i % 2 && { vcfTable: { name: `Table ${parent} ${i}` } }) }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    const { body } = await service.graphql(
      `{ catalogRecords(workspace: "${workspace.id}", catalog: "vcfTable", first: 1000) { nodes { name } } }`,
    );
    const left = body.data.catalogRecords.nodes.filter(({ name }: { name: string }) => name.includes(parent));
    expect(left.length).toBeLessThanOrEqual(1);
  });

  it('free the direction when one is deleted, and are deleted with their job', async () => {
    const parent = await newJob();
    const { id } = (await post(QUANTITY, { parent, direction: 'source' })).body;
    await service.ask('DELETE', `${documents()}/${id}`, { as: 'vendor' });
    const again = (await post(QUANTITY, { parent, direction: 'source' })).body.id;
    await service.ask('DELETE', `${documents()}/${parent}`, { as: 'client' });
    expect((await service.ask('GET', `${documents()}/${again}`, { as: 'vendor' })).status).toBe(404);
  });
});
