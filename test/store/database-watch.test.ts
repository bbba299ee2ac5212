import { EventEmitter } from 'node:events';
import type { MongoClient } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../src/context.ts';
import { clientOf } from '../../src/store/connection/connecting.ts';
import { DatabaseWatch, type Waiter } from '../../src/store/connection/database-watch.ts';
import { collect } from '../garbage.ts';
import { oldBytes } from '../old-bytes.ts';

const REQUEST = { started: performance.now(), writes: false };

/** The events of a driver, and a watch on them. */
function startWatch() {
  const client = new EventEmitter();
  const watch = new DatabaseWatch(client as unknown as MongoClient);
  client.emit('serverHeartbeatSucceeded', { reply: { isWritablePrimary: true } });
  return { watch, [Symbol.dispose]: () => watch.close() };
}

describe('waiters for the database', () => {
  it('are told of its silence unless they left before, in any order', async () => {
    using started = startWatch();
    const { watch } = started;
    const told: string[] = [];
    const join = (name: string): Waiter => {
      const waiter = { ...REQUEST, giveUp: () => void told.push(name) };
      watch.join(waiter);
      return waiter;
    };
    const [first, second, , last] = ['first', 'second', 'third', 'last'].map(join);
    for (const one of [second, second, last, first]) if (one) watch.leave(one);
    join('fourth');
    if (first) watch.leave(first);
    const race = watch.race(new Promise(() => undefined));
    await expect(watch.race(Promise.resolve('done'))).resolves.toBe('done');
    await expect(race).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(told.sort()).toEqual(['fourth', 'third']);
    expect(() => watch.check()).toThrow();
  });
});

it('sessions and cursors in use end with their client', async () => {
  const client = clientOf('mongodb://127.0.0.1:1', {});
  const [ended, ...sessions] = Array.from({ length: 5 }, () => client.startSession());
  await ended?.endSession();
  const [closed, ...cursors] = Array.from({ length: 5 }, () => client.db('any').collection('any').find());
  await closed?.close();
  await client.close();
  expect(sessions.every(({ hasEnded }) => hasEnded)).toBe(true);
  expect(cursors.every((cursor) => cursor.closed)).toBe(true);
});

describe('what a request leaves behind', () => {
  const REQUESTS = 60_000;
  const AT_ONCE = 32;

  /** The bytes of ended requests, of 1 kB each, that were promoted to the old generation. */
  function keptOf(begin: (request: object) => () => void): number {
    const open: (() => void)[] = [];
    const serve = (count: number): void => {
      for (let index = 0; index < count; index++) {
        open.push(begin({ ballast: new Array(128).fill(index) }));
        if (open.length > AT_ONCE) open.shift()?.();
      }
    };
    serve(REQUESTS);
    collect(); // everything there now is old
    const before = oldBytes();
    serve(REQUESTS);
    return oldBytes() - before;
  }

  it('is nothing that outlives it', () => {
    using started = startWatch();
    const { watch } = started;
    const ofWatch = keptOf((request) => {
      const waiter = { ...REQUEST, giveUp: () => undefined, request };
      watch.join(waiter);
      return () => watch.leave(waiter);
    });
    const ofContext = keptOf((request) => {
      const context = createContext({} as never, undefined, { requestId: 'a', request } as never);
      return () => void context.dispose();
    });
    const client = clientOf('mongodb://127.0.0.1:1', {});
    const ofSession = keptOf((request) => {
      const session = Object.assign(client.startSession(), { request });
      return () => void session.endSession();
    });
    // Of 60 MB; what else is done in this process may leave something as well.
    expect(Math.max(ofWatch, ofContext, ofSession)).toBeLessThan(30_000_000);
  });
});
