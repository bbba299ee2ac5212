import { expect, it, vi } from 'vitest';
import { startProjecting } from '../../src/store/events/event-projector.ts';
import { makeWorkspace, startTestService } from '../service.ts';
import { projectorBegins } from '../webhooks/webhook-fixture.ts';

/** Longer than any test. */
const ENDLESS_MS = 10 * 60_000;

/** A service whose events are recorded with pauses of that length, and its batch sizes. */
async function startRecording(gatheredMs: number) {
  const service = await startTestService();
  const { id } = await makeWorkspace(service);
  const { db, events } = service.stores;
  const batches: number[] = [];
  events.onWritten((written) => batches.push(written.length));
  const log = { info: () => undefined, warn: () => undefined };
  const end = startProjecting(db, events, { keptMs: 60_000, gatheredMs, log });
  await projectorBegins(service);
  const create = async (count: number): Promise<void> => {
    const body = { type: 'svc.inspection.job', body: Array.from({ length: count }, () => ({})) };
    const path = `/v2/workspaces/${id}/documents/bulk`;
    expect((await service.ask('POST', path, { as: 'client', body })).status).toBe(201);
  };
  const total = () => batches.reduce((sum, count) => sum + count, 0);
  return {
    batches,
    create,
    written: (count: number) => expect.poll(total).toBe(count),
    [Symbol.asyncDispose]: async () => {
      await end();
      await service.stop();
    },
  };
}

it('a change after a large batch is recorded without a pause', async () => {
  await using recording = await startRecording(ENDLESS_MS);
  await recording.create(300);
  await recording.written(300);
  await recording.create(1);
  await recording.written(301);
});

it('changes after many batches in a short time are batched together', async () => {
  await using recording = await startRecording(5_000);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now()); // however slow the machine is
  try {
    for (let count = 1; count <= 5; count++) {
      await recording.create(1);
      await recording.written(count);
    }
    await recording.create(1);
    await recording.create(1);
    await recording.written(7);
  } finally {
    clock.mockRestore();
  }
  expect(recording.batches).toEqual([1, 1, 1, 1, 1, 2]);
});
