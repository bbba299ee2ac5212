import { expect, it, vi } from 'vitest';
import { Freshness } from '../../src/store/change-streams/freshness.ts';
import { MarkSignals } from '../../src/store/change-streams/mark-signals.ts';
import { serviceFixture } from '../service.ts';

const service = serviceFixture();
const AT = new Date('2026-01-02T03:04:05Z');

/** Waits until a reader has set its first mark. */
const set = (mark: string) =>
  vi.waitFor(async () => {
    const marks = service.stores.db.collection<{ readonly _id: string }>('leases');
    expect(await marks.findOne({ _id: mark })).toMatchObject({ n: 1 });
  }, 20_000);

it('a reader resumes when its process has passed its mark, even if nobody saves that', async () => {
  const { db } = service.stores;
  const passed = new Freshness(db, { mark: 'test mark', resumePoint: 'nobody saves this' }).passed();
  await set('test mark');
  new MarkSignals(db, 'test mark').passed({ mark: 1, at: AT });
  expect(await passed).toEqual(AT);
});

it('an earlier mark, or one of another database or projection, resumes no reader', async () => {
  const { db } = service.stores;
  const freshness = new Freshness(db, { mark: 'later mark', resumePoint: 'nobody saves this' });
  const isPassed = freshness.passedWithin(1_000);
  await set('later mark');
  new MarkSignals(db, 'later mark').passed({ mark: 0, at: AT });
  new MarkSignals(db, 'other mark').passed({ mark: 1, at: AT });
  new MarkSignals(db.client.db('other'), 'later mark').passed({ mark: 1, at: AT });
  expect(await isPassed).toBe(false);
});
