import { describe, expect, it } from 'vitest';
import { silenceOf } from '../../src/store/connection/driver/silence.ts';

const transaction = { session: { inTransaction: () => true } };

describe('how long a connection may be silent', () => {
  it.each([
    ['a command with a time limit', { aggregate: 'documents', maxTimeMS: 30_000 }, {}, 32_000],
    ['the rest of a cursor with one', { getMore: 1n }, { maxTimeMS: 30_000 }, 32_000],
    ['the next message of a change stream', { getMore: 1n }, { awaitData: true }, 11_000],
    ['one that is waited for longer', { getMore: 1n, maxTimeMS: 5_000 }, { awaitData: true }, 15_000],
    ['the beginning of a change stream', { aggregate: 1, pipeline: [{ $changeStream: {} }] }, {}, 600_000],
    ['a read by id', { find: 'documents', filter: { _id: 'a' } }, {}, 10_000],
    ['a read by ids', { find: 'documents', filter: { _id: { $in: ['a'] } } }, {}, 10_000],
    ['a read of one', { find: 'users', filter: { kind: 'user' }, singleBatch: true, limit: 1 }, {}, 60_000],
    ['a statement of a transaction', { insert: 'documents' }, transaction, 62_000],
    ['a commit', { commitTransaction: 1 }, {}, 62_000],
  ])('is limited for %s', (_what, command, options, limit) => {
    expect(silenceOf(command, options)).toBe(limit);
  });

  it.each([
    ['the creation of indexes', { createIndexes: 'documents' }, {}],
    ['a list without a time limit', { find: 'documents', filter: { _id: { $gt: 'a' } } }, {}],
    ['one of one reply', { find: 'documents', filter: { form: 1 }, singleBatch: true, limit: 500 }, {}],
    ['one whose limit is none', { find: 'documents', filter: {}, maxTimeMS: 0 }, {}],
    ['the rest of a cursor without one', { getMore: 1n }, {}],
    ['an aggregation without one', { aggregate: 'documents', pipeline: [{ $group: { _id: null } }] }, {}],
    ['a write that no request waits for', { update: 'documents' }, {}],
  ])('is unlimited for %s, which may take as long as it needs', (_what, command, options) => {
    expect(silenceOf(command, options)).toBeUndefined();
  });
});
