import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, serviceFixture } from '../../service.ts';
import { type Received, Receiver } from '../receiver.ts';
import { makeWebhook, projectorBegins } from '../webhook-fixture.ts';

let ahead = 0;
const service = serviceFixture({
  records: true,
  delivers: true,
  sources: { now: () => new Date(Date.now() + ahead) },
});
beforeAll(() => projectorBegins(service));

const asAdmin = (path: string) => service.ask('POST', `/v2/webhooks/${path}`, { as: 'admin' });

const isSignedWith = (secret: string, { text, headers }: Received): boolean => {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

describe('after a rotation', () => {
  it('every message has both signatures, from the first one sent after the response', async () => {
    await using receiver = await Receiver.start();
    const { id, secret } = await makeWebhook(service, { url: receiver.url, event_types: ['webhook.ping'] });
    await asAdmin(`${id}/ping`);
    await receiver.messages(1);
    const secrets: string[] = [secret];
    for (let round = 1; round <= 4; round++) {
      secrets.push((await asAdmin(`${id}/rotate`)).body.secret);
      await asAdmin(`${id}/ping`);
      const message = (await receiver.messages(round + 1))[round] ?? expect.fail('nothing came');
      expect(secrets.map((one) => isSignedWith(one, message))).toEqual(secrets.map(() => true));
      await sleep(150);
    }
  });
});

describe('more than five rotations in 24 hours', () => {
  it('are refused until the first is a day old, and every message has all signatures meanwhile', async () => {
    await using receiver = await Receiver.start();
    const { id, secret } = await makeWebhook(service, { url: receiver.url, event_types: ['webhook.ping'] });
    const secrets = [secret];
    for (let round = 1; round <= 5; round++) secrets.push((await asAdmin(`${id}/rotate`)).body.secret);
    const refused = await asAdmin(`${id}/rotate`);
    expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
    const [time = ''] = /\d{4}-\S+Z/.exec(refused.body.detail) ?? [];
    const wait = Date.parse(time) - Date.now();
    expect(wait).toBeGreaterThan(86_000_000);
    expect(wait).toBeLessThan(86_400_000);
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter * 1_000).toBeGreaterThanOrEqual(wait);
    expect(retryAfter).toBeLessThanOrEqual(86_400);
    await asAdmin(`${id}/ping`);
    const [message] = await receiver.messages(1);
    expect(secrets.map((one) => message && isSignedWith(one, message))).toEqual(secrets.map(() => true));
    ahead += wait;
    expect((await asAdmin(`${id}/rotate`)).status).toBe(200);
    ahead = 0;
  });

  it('are also refused when concurrent, and no secret is lost', async () => {
    await using receiver = await Receiver.start();
    const { id, secret } = await makeWebhook(service, { url: receiver.url, event_types: ['webhook.ping'] });
    const rotate = async (key: string): Promise<Answer> => {
      const options = { as: 'admin', headers: { 'Idempotency-Key': key } } as const;
      const answer = await service.ask('POST', `/v2/webhooks/${id}/rotate`, options);
      return answer.status === 503 ? rotate(key) : answer; // on a busy machine they block each other for too long
    };
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => rotate(`${id} ${at}`)));
    const made = answers.filter(({ status }) => status === 200).map(({ body }) => body.secret);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(made.length).toBe(5);
    await asAdmin(`${id}/ping`);
    const [message] = await receiver.messages(1);
    expect([secret, ...made].map((one) => message && isSignedWith(one, message))).toEqual(Array(6).fill(true));
  });
});
