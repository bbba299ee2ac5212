import { expect, it } from 'vitest';
import type { DocumentEvent } from '../../src/model/entity/event.ts';
import { EventLog, type NewEvent } from '../../src/store/events/event-log.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';

const service = serviceFixture({ records: true });

const documents = () => service.stores.db.collection<{ _id: string }>('documents');
const eventsOf = (document: string) =>
  service.stores.db
    .collection<DocumentEvent & { _id: string }>('events')
    .find({ document })
    .sort({ sequence: 1 })
    .toArray();
const kindsOf = async (document: string) => (await eventsOf(document)).map(({ kind }) => kind);

it('a document taken back and recreated in the same version is reported again, and so is its deletion', async () => {
  const { id: workspace } = await makeWorkspace(service);
  const path = `/workspaces/${workspace}/jobs`;
  const { id } = (await service.ask('POST', path, { as: 'client', body: {} })).body;
  await expect.poll(() => kindsOf(id), { timeout: 20_000 }).toEqual(['created']);
  const stored = await documents().findOne({ _id: id });
  for (let i = 0; i < 2; i++) {
    await documents().deleteOne({ _id: id });
    if (stored) await documents().insertOne(stored);
  }
  const all = ['created', 'deleted', 'created', 'deleted', 'created'];
  await expect.poll(() => kindsOf(id), { timeout: 20_000 }).toEqual(all);

  // A projector that resumes from an earlier position reads the same changes again.
  const log = new EventLog(service.stores.db);
  const again = (await eventsOf(id)).map(({ _id, sequence: _sequence, ...event }) => ({
    ...event,
    _id: event.kind === 'deleted' ? `${id} deleted` : `${id} ${event.version}`,
  }));
  expect(await log.write(again, { after: 1_000, keptMs: 60_000 })).toBe(1_000);
  expect(await kindsOf(id)).toEqual(all);
});

it('events written by a projector that died are not written again, wherever they stand among new ones', async () => {
  const log = new EventLog(service.stores.db);
  const after = (await log.latest()) + 1_000;
  const event = (name: string): NewEvent => ({
    ...{
      _id: `${name} 1`,
      kind: 'created',
      document: name,
      type: 'x',
      workspace: null,
      readers: ['nobody'],
      version: '1',
    },
    ...{ by: null, at: new Date(), moment: name },
  });
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(event) as [NewEvent, NewEvent, NewEvent, NewEvent, NewEvent];
  expect(await log.write([b, d], { after, keptMs: 60_000 })).toBe(after + 2);
  // The same change twice in a batch, and a repeated one, among those already written.
  const again = { ...d, moment: 'later' };
  expect(await log.write([a, a, b, c, d, again, e], { after: after + 2, keptMs: 60_000 })).toBe(after + 6);
  const written = (await log.after(after, 100)).map(({ _id, sequence }) => [_id, sequence - after]);
  expect(written).toEqual([
    ...[
      ['b 1', 1],
      ['d 1', 2],
      ['a 1', 3],
      ['c 1', 4],
      ['d 1 later', 5],
      ['e 1', 6],
    ],
  ]);
  // A number taken by another process is an error: only one process writes at a time.
  await expect(log.write([event('f')], { after: after + 3, keptMs: 60_000 })).rejects.toThrow(/E11000/);
});
