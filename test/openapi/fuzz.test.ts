import { expect, it } from 'vitest';
import { runFuzz } from '../../fuzz/run.ts';
import { serviceFixture } from '../service.ts';

const service = serviceFixture({ records: true });

it('300 mutated recordings of requests get answers described in OpenAPI, none of them an error of ours', async () => {
  const found = await runFuzz({ url: service.url, db: service.stores.db, requests: 300, seed: 17 });
  expect(found.failure).toBeUndefined();
  expect(Object.keys(found.statuses)).toEqual(
    expect.arrayContaining(['200', '201', '400', '401', '404', '405', '415']),
  );
}, 120_000);
