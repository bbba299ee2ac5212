import { expect, it } from 'vitest';
import { startProjectingAudits } from '../../src/figure-audit-projection/audit-projector.ts';
import type { DocumentEvent } from '../../src/model/entity/event.ts';
import { findingEvents } from '../../src/store/events/finding-events.ts';
import { messagesOf } from '../../src/webhooks/messages.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture({ records: true });
const workspace = workspaceFixture(service);
const log = { info: () => undefined, warn: () => undefined };
const measured = (figures: Readonly<Record<string, number>>) => ({
  measurements: Object.entries(figures).map(([code, value]) => ({ code, value, uom: { name: 'm3' } })),
});

async function write(method: string, path: string, body: object): Promise<string> {
  const made = await service.ask(method, `/v2/workspaces/${workspace.id}/${path}`, { as: 'vendor', body });
  expect(made.status, made.text).toBeLessThan(300);
  return made.body.id;
}

const post = (type: string, body: object) => write('POST', 'documents', { type: `svc.inspection.${type}`, body });

async function changes(types: string, as: 'client' | 'stranger' = 'client') {
  const { body } = await service.ask('GET', `/v2/changes?types=${types}`, { as });
  return body.changes as { kind: string; id: string; parent_id: string }[];
}

it('a finding is reported once when it appears and once when it is settled, to subscribers of findings', async () => {
  const job = await post('job', { activity: 'load', status: 'complete' });
  const wrong = { parent: job, direction: 'source', ...measured({ GSV: 1000, NSV: 1001 }) };
  const early = await post('quantityResult', wrong);
  let end = startProjectingAudits(service.stores, log);
  await service.stores.audits.freshness.passed();
  // What was wrong before the first audit has not just appeared.
  const report = await post('quantityResult', { ...wrong, direction: 'destination' });
  await expect.poll(() => changes('finding'), { timeout: 20_000 }).toHaveLength(1);
  const [appeared] = await changes('finding');
  expect(appeared).toMatchObject({
    ...{ kind: 'CREATED', type: 'finding', workspace: workspace.id, version_id: null, by: null },
    ...{ parent_id: job, rule: 'VOLUME_ORDER', finding_document_id: report },
  });
  await write('PATCH', `documents/${report}`, { body: measured({ GSV: 1000, NSV: 999 }) });
  await expect.poll(() => changes('finding'), { timeout: 20_000 }).toHaveLength(2);
  const [, settled] = await changes('finding');
  expect(settled).toEqual({ ...appeared, kind: 'DELETED', id: settled?.id, at: expect.any(String) });
  // A projector that died before saving its position does everything again.
  await end();
  const places = service.stores.db.collection<{ _id: string; from?: object }>('leases');
  const place = await places.findOne({ _id: 'figure audits' });
  await places.updateOne({ _id: 'figure audits' }, { $set: { token: null, from: place?.from } as never });
  end = startProjectingAudits(service.stores, log);
  await write('PATCH', `documents/${early}`, { body: measured({ GSV: 1000, NSV: 999 }) });
  await expect.poll(() => changes('finding'), { timeout: 20_000 }).toHaveLength(3);
  expect((await changes('finding')).map(({ kind }) => kind)).toEqual(['CREATED', 'DELETED', 'DELETED']);
  const { body } = await service.ask('GET', '/v2/changes', { as: 'client' });
  expect(body.changes.filter(({ type }: { type: string }) => type === 'finding')).toEqual([]);
  expect(await changes('finding', 'stranger')).toEqual([]);
  const query =
    '{ changes(types: ["finding"]) { changes { kind type rule findingDocumentId parentId document { id } } } }';
  const found = (await service.graphql(query)).body.data.changes.changes;
  expect(found[0]).toEqual({
    ...{ kind: 'CREATED', type: 'finding', rule: 'VOLUME_ORDER', findingDocumentId: report },
    ...{ parentId: job, document: null },
  });
  const [event] = (await service.stores.events.after(0, 100)).filter(({ type }) => type === 'finding');
  const sent = (event_types: string[]) => messagesOf(event as DocumentEvent, { _id: 'w', tenant: 't', event_types });
  expect(sent([])).toEqual([]);
  expect(sent(['finding.settled'])).toEqual([]);
  expect(sent(['finding.appeared'])).toMatchObject([
    {
      type: 'finding.appeared',
      payload: { data: { parent_id: job, references: { rule: 'VOLUME_ORDER', document: report } } },
    },
  ]);
  await end();
});

it('a job created without what it requests is reported once, however often that change is read', async () => {
  const lacking = { status: 'complete', requested: { quality: true } };
  let end = startProjectingAudits(service.stores, log);
  await service.stores.audits.freshness.passed();
  const places = service.stores.db.collection<{ _id: string; token?: object }>('leases');
  const place = await places.findOne({ _id: 'figure audits' });
  const job = await post('job', lacking);
  const toldOf = async (id: string) => (await changes('finding')).filter(({ parent_id }) => parent_id === id);
  await expect
    .poll(() => toldOf(job), { timeout: 20_000 })
    .toMatchObject([{ kind: 'CREATED', finding_document_id: job }]);
  await end();
  await places.updateOne({ _id: 'figure audits' }, { $set: { token: place?.token ?? {} } });
  end = startProjectingAudits(service.stores, log);
  const next = await post('job', lacking);
  await expect.poll(() => toldOf(next), { timeout: 20_000 }).toHaveLength(1);
  expect(await toldOf(job)).toHaveLength(1);
  await end();
});

it('a job created after a full re-audit was requested is reported, although the re-audit reaches it first', async () => {
  let end = startProjectingAudits(service.stores, log);
  await service.stores.audits.freshness.passed();
  await end();
  const before = (await changes('finding')).length;
  const marks = service.stores.db.collection<{ _id: string; n: number }>('leases');
  await marks.updateOne({ _id: 'figure audit anew' }, { $inc: { n: 1 } }, { upsert: true });
  const job = await post('job', { status: 'complete', requested: { quality: true } });
  end = startProjectingAudits(service.stores, log);
  await expect.poll(() => changes('finding'), { timeout: 20_000 }).toHaveLength(before + 1);
  expect((await changes('finding')).at(-1)).toMatchObject({ kind: 'CREATED', parent_id: job });
  await end();
});

it('a corrected percentage is judged by other reports only, also in the first verdict', async () => {
  const end = startProjectingAudits(service.stores, log);
  const cargoOf = async (name: string, water: readonly number[]) => {
    const job = await post('job', { activity: 'load', status: 'complete', cargo: { product: { name } } });
    const reports: string[] = [];
    for (const [at, waterPerc] of water.entries()) {
      const direction = at === 0 ? 'source' : 'destination';
      reports.push(await post('quantityResult', { parent: job, direction, waterPerc }));
    }
    return { job, reports };
  };
  const settled = () => service.stores.audits.freshness.passed();
  // With its old value, there would be three others, with a median of 0.02.
  for (const one of [1, 2]) await cargoOf('Marine diesel', [0.02 * one]);
  const few = await cargoOf('Marine diesel', [0.3]);
  // With its old value, the median of the others would be 0.02 instead of 0.135.
  for (const one of [0.02, 0.02, 0.25, 0.25]) await cargoOf('Gasoil', [one]);
  const many = await cargoOf('Gasoil', [0.02]);
  await settled();
  const correct = (report: string | undefined, waterPerc: number) =>
    write('PATCH', `documents/${report}`, { body: { waterPerc } });
  await correct(few.reports[0], 0.25);
  await settled();
  await correct(many.reports[0], 0.2);
  await settled();
  // A report of the same job is another report.
  for (const water of [0.02, 0.02, 0.3]) await cargoOf('Kerosene', [water]);
  await settled();
  await end();
  const late = await cargoOf('Kerosene', [0.3, 0.3]);
  const next = startProjectingAudits(service.stores, log);
  await settled();
  const lacking = await post('job', { status: 'complete', requested: { quality: true } });
  const found = () => changes('finding');
  await expect.poll(async () => (await found()).map((one) => one.parent_id), { timeout: 20_000 }).toContain(lacking);
  const corrected = [few.job, many.job, late.job];
  expect((await found()).filter(({ parent_id }) => corrected.includes(parent_id))).toEqual([]);
  await next();
});

it('a finding has the id that earlier versions gave it', () => {
  const [job, document] = ['0190a000-0000-7000-8000-000000000001', '0190a000-0000-7000-8000-000000000002'];
  const appeared = [{ rule: 'REQUESTED_RESULT_MISSING', document }];
  const audit = { _id: job, workspace: 'w', readers: [], created_at: new Date(0), n: 7, findings: appeared, appeared };
  expect(findingEvents(audit).map(({ _id }) => _id)).toEqual(['c2e29e12-dae4-5605-a5ed-37ae7b757f86 7']);
});
