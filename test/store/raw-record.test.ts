import fc from 'fast-check';
import { BSON, Long, UUID } from 'mongodb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { RawRecord } from '../../src/store/bson/raw-record.ts';
import { RawEntity } from '../../src/store/entities/read-entity.ts';

const moment = new Date('2024-05-01T10:00:00.123Z');
const id = new UUID();
const stored = {
  _id: 'é-1',
  created_at: moment,
  revision: 3,
  ratio: 0.5,
  large: Long.fromNumber(2 ** 40),
  readers: ['a', 'ß', 7, 'c'],
  none: null,
  yes: true,
  body: { cargo: { product: { näme: 'Naphtha 🚢' }, quantity: 12.25 }, list: [{ a: 1 }], 'a.b': 1, id },
  bodyLike: 'x',
};
const record = new RawRecord(BSON.serialize(stored));

describe('RawRecord', () => {
  test('reads the types it names, and other types as absent', () => {
    expect(record.string('_id')).toBe('é-1');
    expect(record.date('created_at')).toEqual(moment);
    expect(['revision', 'ratio', 'large'].map((name) => record.number(name))).toEqual([3, 0.5, 2 ** 40]);
    expect(record.strings('readers')).toEqual(['a', 'ß', 'c']);
    expect([record.string('revision'), record.date('_id'), record.number('_id')]).toEqual(Array(3).fill(undefined));
    expect([record.string('missing'), record.value('bod'), record.value('bodyLikes')]).toEqual(
      Array(3).fill(undefined),
    );
    expect([record.strings('missing'), record.strings('body')]).toEqual([[], []]);
  });

  test('walks embedded documents by a path of names', () => {
    expect(record.at(['body', 'cargo', 'product', 'näme'])).toBe('Naphtha 🚢');
    expect(record.at(['body', 'cargo'])).toEqual(stored.body.cargo);
    expect(record.at(['body', 'a.b'])).toBe(1);
    expect(record.at(['body', 'list'])).toEqual([{ a: 1 }]);
    expect(record.at(['body', 'id'])).toEqual(id);
    expect(record.at(['yes'])).toBe(true);
    expect(record.at(['none'])).toBeNull();
    expect(
      [['body', 'list', '0'], ['_id', 'x'], ['body', 'no', 'x'], ['no'], []].map((path) => record.at(path)),
    ).toEqual(Array(5).fill(undefined));
  });

  test('writes a value as JSON', () => {
    expect(record.json('body')).toBe(JSON.stringify(stored.body));
    expect(record.json('readers')).toBe('["a","ß",7,"c"]');
    expect(record.json('created_at')).toBe('"2024-05-01T10:00:00.123Z"');
    expect([record.json('none'), record.json('missing')]).toEqual(['null', 'null']);
  });

  test('finds every element under the same name as the driver', () => {
    const name = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\0', ''));
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.date({ noInvalidDate: true }),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value), (random) => {
        const bytes = BSON.serialize(random);
        const read = BSON.deserialize(bytes);
        const raw = new RawRecord(bytes);
        for (const key of Object.keys(read)) expect(raw.value(key)).toEqual(read[key]);
      }),
    );
  });

  test('reads the same objects and arrays as the driver', () => {
    const name = fc.oneof(
      fc.constantFrom('__proto__', '$ref', '$id', '0', '10', 'a', 'ä'),
      fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replaceAll('\0', '')),
    );
    const leaf = fc.oneof(
      fc.constantFrom(null, true, false, moment, id, Long.fromNumber(2 ** 60), Long.fromNumber(7), -0, 2 ** 40),
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.double(),
      fc.integer(),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, (random) => {
        const bytes = BSON.serialize({ random });
        expect(new RawRecord(bytes).value('random')).toStrictEqual(BSON.deserialize(bytes).random);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('RawEntity', () => {
  afterEach(() => vi.restoreAllMocks());

  const envelope = {
    _id: '1',
    workspace: 'w',
    type: 'svc.inspection.job',
    readers: ['a'],
    version_id: 'v',
    created_by: 'c',
    created_at: moment,
    modified_by: 'm',
    modified_at: moment,
  };
  const body = { refNumber: 'R', cargo: { product: 'p', quantity: { value: 2 } }, transports: ['t'] };
  const partsOf = (entity: RawEntity) => [
    ...[entity.id, entity.workspaceId, entity.partition, entity.type, entity.versionId, entity.parentId],
    ...[entity.createdBy, entity.createdAt, entity.modifiedBy, entity.modifiedAt, entity.schemaId, entity.readers],
    ...[entity.at('refNumber'), entity.at('transports'), entity.at('cargo'), entity.at('cargo', 'product')],
    ...[entity.at('cargo', 'quantity', 'value'), entity.at('cargo', 'none'), entity.at('refNumber', 'x')],
    ...[entity.at('none'), entity.at('none', 'x'), entity.stored('body.refNumber'), entity.body.text],
  ];

  test('decodes each part once, however many requests share it', () => {
    const entity = new RawEntity(BSON.serialize({ ...envelope, body }));
    const first = partsOf(entity);
    const decoding = vi.spyOn(Buffer.prototype, 'toString');
    const again = partsOf(entity);
    expect(decoding).not.toHaveBeenCalled();
    for (const [index, part] of again.entries()) expect(part).toBe(first[index]);
  });

  test('has what was stored, and nothing in place of what was not', () => {
    expect(partsOf(new RawEntity(BSON.serialize({ ...envelope, parent_id: 'j', body })))).toEqual([
      ...['1', 'w', 'w', 'svc.inspection.job', 'v', 'j', 'c', moment, 'm', moment, expect.any(String), ['a']],
      ...['R', ['t'], body.cargo, 'p', 2, undefined, undefined, undefined, undefined, 'R', JSON.stringify(body)],
    ]);
    const bare = new RawEntity(BSON.serialize({ workspace: null, body: {} }));
    expect([bare.id, bare.partition, bare.workspaceId, bare.parentId, bare.createdAt]).toEqual([
      ...['', null, null, null, new Date(0)],
    ]);
  });
});
