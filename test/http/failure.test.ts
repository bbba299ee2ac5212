import { MongoNetworkError, MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { lostDatabase } from '../../src/error-masking.ts';

/** What the driver throws at requests whose connection it interrupts when a server hangs; it exports no such class. */
class PoolClearedOnNetworkError extends MongoNetworkError {
  override get name(): string {
    return 'PoolClearedOnNetworkError';
  }
}

describe('an unreachable database', () => {
  it.each([
    ['a connection that broke', new MongoNetworkError('closed')],
    ['a connection that was interrupted with its pool', new PoolClearedOnNetworkError('interrupted')],
    ['a server that is no longer primary', new MongoServerError({ message: 'not primary', code: 10107 })],
  ])('is UNAVAILABLE: %s', (_what, error) => {
    expect(lostDatabase(error)?.code).toBe('UNAVAILABLE');
  });

  it('does not cover every database error', () => {
    expect(lostDatabase(new MongoServerError({ message: 'duplicate key', code: 11000 }))).toBeUndefined();
    expect(lostDatabase(new Error('a mistake of ours'))).toBeUndefined();
  });
});
