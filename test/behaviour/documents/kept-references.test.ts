import { describe, expect, it } from 'vitest';
import { commandsDuring } from '../../profile.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { jobDocuments } from './job-documents.ts';

let ahead = 0;
const service = serviceFixture({ sources: { now: () => new Date(Date.now() + ahead) } });
const workspace = workspaceFixture(service);
const { create, patch } = jobDocuments(service, workspace);
const RECORDS = { location: { name: 'Rotterdam' }, transports: [{ name: 'Aurora' }, { name: 'Borealis' }] };

/** A job too old to be taken back. */
async function settledJob(body: object) {
  const job = await create(body);
  ahead += 120_000;
  return job;
}

describe('a patch of a job created some time ago', () => {
  it('reads none of the records that the job already refers to, and keeps them', async () => {
    const job = await settledJob({ ...RECORDS, refNumber: 'A' });
    const commands = await commandsDuring(service, async () => {
      const { status, body } = await patch(job.id, { notes: 'changed' });
      expect(status).toBe(200);
      expect(body.body).toEqual({ ...job.body, notes: 'changed' });
    });
    expect(commands.filter(({ ns }) => String(ns).endsWith('.catalog_records'))).toEqual([]);
    const used = await service.graphql(
      'query Of($id: UUID!) { job(id: $id) { location { name } transports { name } } }',
      {
        id: job.id,
      },
    );
    expect(used.body.data.job).toEqual(RECORDS);
  });

  it('may move a record to another place of its catalog', async () => {
    const job = await settledJob(RECORDS);
    const [aurora, borealis] = job.body.transports as string[];
    const { status, body } = await patch(job.id, { transports: [borealis, aurora?.toUpperCase()] });
    expect(status).toBe(200);
    expect(body.body.transports).toEqual([borealis, aurora]);
  });

  it('is refused for a record of another catalog, though the job refers to it', async () => {
    const job = await settledJob(RECORDS);
    const [aurora] = job.body.transports as string[];
    const { status, body } = await patch(job.id, { location: aurora });
    expect(status).toBe(400);
    expect(body.errors).toEqual([expect.objectContaining({ path: '/body/location' })]);
  });

  it('finds the records that it newly names, beside those that stay', async () => {
    const job = await settledJob(RECORDS);
    const { status, body } = await patch(job.id, { cargo: { product: { name: 'Naphtha' } } });
    expect(status).toBe(200);
    expect(body.body).toMatchObject({ location: job.body.location, transports: job.body.transports });
    const { body: found } = await service.graphql(
      'query Of($id: UUID!) { job(id: $id) { location { name } cargo { product { name } } } }',
      { id: job.id },
    );
    expect(found.data.job).toEqual({ location: RECORDS.location, cargo: { product: { name: 'Naphtha' } } });
  });
});

it('after its insert, a creation that resolved its records before reads only their deletion marks and catalogs', async () => {
  const job = await create(RECORDS);
  const xrefs = `/v2/workspaces/${workspace.id}/xrefs/products`;
  const made = await service.ask('POST', xrefs, { as: 'client', body: { name: 'Naphtha' } });
  expect(made.status, 'so that what is remembered is forgotten').toBe(201);
  const commands = await commandsDuring(service, async () => {
    expect((await create(RECORDS)).body).toEqual(job.body);
  });
  const [, marks, ...further] = commands.filter(({ ns }) => String(ns).endsWith('.catalog_records'));
  expect(marks).toMatchObject({ op: 'query', nreturned: 3, command: { projection: { deleting_at: 1, xtype: 1 } } });
  expect(further).toEqual([]);
});
