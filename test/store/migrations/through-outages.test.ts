import { MongoClient, MongoServerError } from 'mongodb';
import { describe, expect, it, vi } from 'vitest';
import { throughOutages } from '../../../src/store/connection/through-outages.ts';

const log = { warn: () => {} };
const doing = 'something is done';

describe('work during a MongoDB outage', () => {
  it('ends saying where MongoDB was and what to do, without the password in its address', async () => {
    const client = new MongoClient('mongodb://user:pass-word@127.0.0.1:1/', { serverSelectionTimeoutMS: 50 });
    const work = () => client.db('test').collection('things').findOne({});
    await expect(throughOutages({ client, log, doing, patienceMs: 200 }, work)).rejects.toThrow(
      /^MongoDB at 127\.0\.0\.1:1 went away while something is done, and was not back for good within 0\.2 s: .+\. Start again: it goes on where it was\.$/,
    );
    await client.close();
  });

  it('logs nothing once stopped, which closes its connections', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1/', { serverSelectionTimeoutMS: 50 });
    const warn = vi.fn();
    const work = () => client.db('test').collection('things').findOne({});
    const stopped = AbortSignal.abort();
    await expect(throughOutages({ client, log: { warn }, doing, stopped }, work)).rejects.toThrow();
    expect(warn).not.toHaveBeenCalled();
    await client.close();
  });

  it('is not retried after any other failure', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1/');
    let times = 0;
    const work = () => {
      times += 1;
      return Promise.reject(new MongoServerError({ message: 'not allowed', code: 13 }));
    };
    await expect(throughOutages({ client, log, doing }, work)).rejects.toThrow('not allowed');
    expect(times).toBe(1);
    await client.close();
  });
});
