// May take 25 s: requests are refused after ten seconds.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AnswerRoom } from '../../src/http/rooms/answer-room.ts';
import { Room } from '../../src/http/rooms/room.ts';
import { CALLERS, serviceFixture, workspaceFixture } from '../service.ts';
import { connectTo, type RawConnection } from './raw.ts';

const LARGEST = 100;

describe('the budget for large answers', () => {
  /** Asks for room; outcomes are recorded by name. */
  function asking(waitMs = 60_000, stallMs = 60_000) {
    const room = new AnswerRoom(LARGEST, stallMs, waitMs);
    const told: string[] = [];
    const open = (name: string, asked: (response: ServerResponse) => Promise<unknown> | undefined) => {
      const response = new ServerResponse(new IncomingMessage(new Socket()));
      void asked(response)?.then(
        () => told.push(name),
        ({ code }) => told.push(`${name}: ${code}`),
      );
      return response;
    };
    const ask = (name: string, tenant: string, characters = LARGEST, mayBeRefused = true) =>
      open(name, (response) => room.take({ response, tenant, characters, mayBeRefused }));
    const write = (name: string, tenant: string) =>
      open(name, async (response) => {
        await room.beforeWrite({ response, tenant });
        return room.take({ response, tenant, characters: LARGEST, mayBeRefused: false });
      });
    const settled = async () => {
      await sleep(1);
      return told.splice(0);
    };
    return { room, ask, write, settled };
  }
  const end = (response: ServerResponse) => response.destroy().emit('close');

  it('fits two of the largest, one per tenant; a finished response frees its place', async () => {
    const { ask, settled } = asking();
    const first = ask('a1', 'a');
    ask('a2', 'a');
    ask('b1', 'b');
    ask('c1', 'c');
    expect(await settled()).toEqual(['a1', 'b1']);
    end(first);
    expect(await settled()).toEqual(['a2']);
  });

  it("holds one larger than a tenant's share if there is no other", async () => {
    const { ask, settled } = asking();
    const [larger] = [ask('larger', 'a', LARGEST * 5, false), ask('little', 'a', 1)];
    expect(await settled()).toEqual(['larger']);
    end(larger);
    expect(await settled()).toEqual(['little']);
  });

  it('is waited for neither forever nor by more than would fit, unless something was changed', async () => {
    const { ask, settled } = asking(300);
    const first = ask('first', 'a');
    ask('waits', 'a', 60);
    ask('one too many', 'a', 60);
    ask('changed', 'a', 60, false);
    expect(await settled()).toEqual(['first', 'one too many: UNAVAILABLE']);
    await sleep(600);
    expect(await settled()).toEqual(['waits: UNAVAILABLE']);
    end(first);
    expect(await settled()).toEqual(['changed']);
  });

  it('makes a write wait before it runs while an answer waits, and reserves its place for the answer', async () => {
    const { room, ask, write, settled } = asking();
    const first = ask('first', 'a');
    expect(room.beforeWrite({ response: first, tenant: 'a' })).toBeUndefined();
    const second = ask('second', 'a');
    write('write', 'a');
    expect(room.beforeWrite({ response: first, tenant: 'b' })).toBeUndefined();
    expect(await settled()).toEqual(['first']);
    end(first);
    expect(await settled()).toEqual(['second']);
    end(second);
    expect(await settled()).toEqual(['write']);
  });

  it('aborts an answer not fully read within ten stall limits of being taken or renewed', async () => {
    const { room } = asking(0, 30);
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const place = await room.take({ response, tenant: 'a', characters: 1, mayBeRefused: true });
    await sleep(200);
    place.renew();
    await sleep(200);
    expect(response.destroyed).toBe(false);
    await expect.poll(() => response.destroyed, { timeout: 20_000 }).toBe(true);
  });
});

describe('large answers not read by their clients', () => {
  const service = serviceFixture();
  const workspace = workspaceFixture(service);

  /** Sends a request, and reads only the beginning of its answer. */
  async function begin(path: string): Promise<RawConnection> {
    const connection = connectTo(service.url);
    onTestFinished(() => void connection.socket.destroy());
    connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${CALLERS.client}\r\n\r\n`);
    connection.socket.once('data', () => connection.socket.pause());
    await connection.until(/\r\n\r\n/);
    return connection;
  }

  it('make others of their tenant wait, which are then refused before changing anything', async () => {
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const body = { notes: 'x'.repeat(15_500_000) };
    const { body: job } = await service.ask('POST', jobs, { as: 'client', body });
    const path = `${jobs}/${job.id}`;
    const query = `{job(id:"${job.id}"){body}}`;
    const fourTimes = `{${['a', 'b', 'c', 'd'].map((name) => `${name}:${query.slice(1, -1)}`).join(' ')}}`;
    const claims = vi.spyOn(Room.prototype, 'take');
    onTestFinished(() => claims.mockRestore());
    const slow = await begin(`/graphql?query=${encodeURIComponent(fourTimes)}`);
    const reading = [
      service.ask('GET', path, { as: 'client' }),
      service.ask('POST', '/graphql', { as: 'client', body: { query } }),
    ];
    await expect.poll(() => claims.mock.calls.length).toBe(3); // each has asked for room
    const patched = service.ask('PATCH', path, { as: 'client', body: { refNumber: 'changed' } });
    const mutation = `mutation{updateDocument(id:"${job.id}",patch:{refNumber:"changed"}){id}}`;
    const mutated = service.ask('POST', '/graphql', { as: 'client', body: { query: mutation } });
    expect((await service.ask('GET', path, { as: 'vendor' })).status).toBe(200);
    expect((await service.ask('GET', '/v2/schemas', { as: 'client' })).status).toBe(200);
    for (const { status, body, headers } of await Promise.all([...reading, patched, mutated])) {
      expect([status, headers.get('retry-after')]).toEqual([503, '10']);
      expect(JSON.stringify(body)).toContain('"UNAVAILABLE"');
    }
    slow.socket.destroy();
    const read = await service.ask('GET', path, { as: 'client' });
    expect([read.status, read.body.refNumber]).toEqual([200, undefined]);
    const changed = await service.ask('PATCH', path, { as: 'client', body: { refNumber: 'changed' } });
    expect([changed.status, changed.body.refNumber]).toEqual([200, 'changed']);
  }, 120_000);
});
