import { expect, it } from 'vitest';
import { ShownRecords } from '../../../src/domain/data-api-jobs/shown-records.ts';
import type { Entity } from '../../../src/model/entity/entity.ts';
import { commandsDuring } from '../../profile.ts';
import { serviceFixture } from '../../service.ts';

const service = serviceFixture();

const insert = (id: string, name: string, more: object = {}) =>
  service.stores.db
    .collection<{ _id: string }>('catalog_records')
    .insertOne({ _id: id, version_id: id, readers: ['t'], body: { name, ...more } } as { _id: string });
const nameOf = (entity: Entity | undefined) => String(entity?.at('name')).slice(0, 2);

it('only names, xrefs, readers and marks of records are read, once for concurrent readers', async () => {
  await insert('a', 'A', { xref: 'X', filler: 'y'.repeat(100_000) });
  await insert('b', 'B');
  const { recordNames } = service.stores;
  const commands = await commandsDuring(service, async () => {
    const [some, others] = await Promise.all([recordNames.many(['b', 'a']), recordNames.many(['a', 'none'])]);
    expect(some.map(nameOf)).toEqual(['B', 'A']);
    expect([others[0]?.at('xref'), others[0]?.readers]).toEqual(['X', ['t']]);
    expect(others[1]).toBeUndefined();
  });
  const reads = commands.filter(({ ns }) => String(ns).endsWith('.catalog_records'));
  expect(reads.every(({ responseLength }) => responseLength < 2_000)).toBe(true);
  expect(reads).toHaveLength(2); // the second one looks for what is not there
});

it('names too long to be held together are left out, but not their records', async () => {
  const ids = ['l1', 'l2', 'l3', 'l4', 'l5', 'l6'];
  for (const id of ids) await insert(id, id + 'n'.repeat(12_000_000));
  await service.stores.db
    .collection<{ _id: string; deleting_at?: Date }>('catalog_records')
    .updateOne({ _id: 'l6' }, { $set: { deleting_at: new Date() } });
  const found = await service.stores.recordNames.many([...ids, 'none']);
  expect(found.map((entity) => entity?.id)).toEqual([...ids, undefined]);
  expect(found.map(nameOf).slice(0, 6)).toEqual(['l1', 'l2', 'l3', 'l4', 'un', 'un']);
  expect(found[5]?.stored('deleting_at')).toBeInstanceOf(Date);
});

it('the bodies of a page show a limited number of characters of names and xrefs, however often they name one record', async () => {
  await insert('s', 'twelve chars', { xref: 'and eight' });
  const [record] = await service.stores.recordNames.many(['s']);
  const records = new ShownRecords([record, undefined], 't', 50);
  expect([1, 2, 3].map(() => records.get('s')?.id)).toEqual(['s', 's', undefined]);
  expect(records.get('none')).toBeUndefined();
  expect(new ShownRecords([record], 'another').get('s')).toBeUndefined();
});
