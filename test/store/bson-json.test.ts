import fc from 'fast-check';
import { Binary, BSON, Code, Decimal128, Double, Int32, Long, MaxKey, ObjectId, Timestamp, UUID } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { bsonToJson } from '../../src/store/bson/bson-json.ts';

const ordinary = (bytes: Uint8Array): string => JSON.stringify(BSON.deserialize(bytes));

const written = (document: BSON.Document): Uint8Array => BSON.serialize(document, { ignoreUndefined: false });

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('\0', '\u001f', '\u007f', '"', '\\', '/', '\n', '\u2028', 'é', '€', '🚢', 'a') }),
);
const name = fc.oneof(
  text.map((value) => value.replaceAll('\0', '')), // a BSON name ends at its first NUL
  fc.constantFrom('', '__proto__', 'toJSON', '$ref', '$id', '0', '10', '9a', '4294967295', 'constructor', 'length'),
);
const numberEdges = fc.constantFrom(
  ...[0, -0, 1, 9, 10, 99, 100, 999_999_999, 1e9, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 1e20, 1e21],
  ...[1e-6, 1e-7, 0.1, 0.30000000000000004, 5e-324, Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY],
);
const double = fc.oneof(
  fc.double(),
  fc.integer(),
  numberEdges,
  numberEdges.map((edge) => -edge),
);
const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(2n ** 31n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n), -(2n ** 53n) - 1n, 0n, -1n),
);
const scalar = fc.oneof(
  text,
  double,
  double.map((value) => new Double(value)),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map((value) => new Int32(value)),
  int64.map((value) => Long.fromBigInt(value)),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((value) => new ObjectId(value)),
  fc.uint8Array({ minLength: 16, maxLength: 16 }).map((value) => new UUID(value)),
  fc.tuple(fc.uint8Array(), fc.constantFrom(0, 1, 2, 5, 6, 128)).map(([value, kind]) => new Binary(value, kind)),
  fc.constantFrom(Decimal128.fromString('1.50'), new Timestamp({ t: 1, i: 2 }), new MaxKey(), new Code('f()'), /a/i),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    scalar,
    fc.dictionary(name, tie('value'), { maxKeys: 8 }),
    fc.array(tie('value'), { maxLength: 8 }),
  ),
})).value;
const document = fc.dictionary(name, value, { maxKeys: 12 });

describe('bsonToJson', () => {
  test('writes what JSON.stringify writes of the document the driver reads', () => {
    fc.assert(
      fc.property(document, (random) => {
        const bytes = written(random);
        expect(bsonToJson(bytes)).toBe(ordinary(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([1, 2, 3, 0x7f, 0xff, 0x1000])(
    'escapes every Unicode character as JSON does, in strings of %i',
    (length) => {
      const points = Array.from({ length: 0x110000 }, (_, point) => point).filter(
        (point) => point < 0xd800 || point > 0xdfff,
      );
      for (let from = 0; from < points.length; from += 0x8000) {
        const all = String.fromCodePoint(...points.slice(from, from + 0x8000));
        const cut = all.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];
        expect(bsonToJson(written({ cut }))).toBe(JSON.stringify({ cut }));
      }
    },
  );

  test('accepts every character but NUL in names', () => {
    for (let point = 1; point < 0x3000; point++) {
      const named = { [`a${String.fromCodePoint(point)}`]: 1 };
      expect(bsonToJson(written(named))).toBe(JSON.stringify(named));
    }
  });

  test('prints numbers as JavaScript does, at every edge', () => {
    fc.assert(
      fc.property(fc.array(double), (numbers) => {
        expect(bsonToJson(written({ numbers }))).toBe(JSON.stringify({ numbers }));
      }),
    );
  });

  test("writes dates out of JavaScript's range as null", () => {
    const bytes = written({ at: new Date(0) });
    bytes.fill(0x7f, 8, 16);
    expect(bsonToJson(bytes)).toBe('{"at":null}');
  });

  test('reads 64 levels of nested objects and arrays', () => {
    let nested: unknown = 'deep';
    for (let level = 0; level < 64; level++) nested = level % 2 ? [nested, level] : { level, nested };
    expect(bsonToJson(written({ nested }))).toBe(JSON.stringify({ nested }));
  });

  test('writes a document far larger than the scratch memory in full, and the small one after it', () => {
    const large = {
      notes: ['é"\n'.repeat(1_000_000), 'x'.repeat(3_000_000)],
      rows: Array.from({ length: 50_000 }, () => []),
    };
    expect(bsonToJson(written(large))).toBe(JSON.stringify(large));
    expect(bsonToJson(written({ a: 1 }))).toBe('{"a":1}');
  });

  test('reads a document or an array in the middle of a buffer', () => {
    const bytes = Buffer.concat([Buffer.from('before'), written({ list: ['é', {}] }), Buffer.from('after')]);
    expect(bsonToJson(bytes, 6)).toBe('{"list":["é",{}]}');
    const list = 6 + 4 + 1 + 5; // size, type, name
    expect(bsonToJson(bytes, list, true)).toBe('["é",{}]');
  });
});
