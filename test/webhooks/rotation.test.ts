import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture } from '../service.ts';
import { type Received, Receiver } from './receiver.ts';
import { makeWebhook, projectorBegins } from './webhook-fixture.ts';

const service = serviceFixture({ records: true, delivers: true, env: { WEBHOOK_MAX_PER_TENANT: '100' } });
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
  it('every message has both signatures, from the first that is sent after the answer', async () => {
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
