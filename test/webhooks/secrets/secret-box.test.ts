import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { SecretBox, secretKeys } from '../../../src/webhooks/secret-box.ts';
import { newSecret } from '../../../src/webhooks/signatures.ts';
import { serviceFixture, startTestService, type TestService, workspaceFixture } from '../../service.ts';
import { Receiver } from '../receiver.ts';
import { deliveriesOf, makeJob, makeWebhook } from '../webhook-fixture.ts';

const [OLD, NEW] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const box = (...keys: string[]) => new SecretBox(keys.length === 0 ? [] : (secretKeys(keys.join(',')) ?? []));

describe('the secret box', () => {
  it.each(['v1', 'v1a'] as const)('seals a secret of %s for one webhook, and opens it again', (kind) => {
    const secret = newSecret(kind);
    const sealed = box(OLD).seal(secret, 'a');
    expect(JSON.stringify(sealed)).not.toContain(secret.value);
    expect(sealed.shown.startsWith('whpk_')).toBe(kind === 'v1a');
    expect(box(OLD).open(sealed, 'a')).toEqual(secret);
    expect(box(NEW, OLD).open(sealed, 'a')).toEqual(secret);
    expect([box(OLD), box(NEW, OLD), box()].map((one) => one.isCurrent(sealed))).toEqual([true, false, false]);
    const changed = { ...sealed, value: sealed.value.replace(/.(?==*$)/, '!') };
    expect(() => box(OLD).open(sealed, 'b')).toThrow('the secret of the webhook b cannot be decrypted');
    expect(() => box(OLD).open(changed, 'a')).toThrow('the secret of the webhook a cannot be decrypted');
    const [older, newer] = box(OLD, NEW).keyNames;
    const missing = `the secret of the webhook a is encrypted under the key ${older}, `;
    expect(() => box(NEW).open(sealed, 'a')).toThrow(
      `${missing}which is not in WEBHOOK_SECRET_KEY here, with ${newer}`,
    );
    expect(() => box().open(sealed, 'a')).toThrow(`${missing}and WEBHOOK_SECRET_KEY is not set here`);
  });

  it('leaves secrets as they are without a key, and opens those', () => {
    const secret = newSecret('v1');
    expect([box().seal(secret, 'a'), box(OLD).open(secret, 'a')]).toEqual([secret, secret]);
  });

  it.each(['short', `${OLD},`, `${OLD},x`, randomBytes(31).toString('base64')])(
    'refuses the key %s without showing it',
    (text) => {
      const read = () => readConfig({ WEBHOOK_SECRET_KEY: text });
      expect(read).toThrow('WEBHOOK_SECRET_KEY=(its value is not shown) cannot be used: it must be 32 bytes in base64');
    },
  );
});

/** Waits until the gateway has begun with a webhook that many times more: each time, it reads what waits there. */
async function triedAgain({ stores }: TestService, times: number): Promise<void> {
  const begun = vi.spyOn(stores.deliveries, 'takeWaiting');
  await vi.waitFor(() => expect(begun.mock.calls.length).toBeGreaterThanOrEqual(times), { timeout: 20_000 });
  begun.mockRestore();
}

describe('the stored secret of a webhook', () => {
  const service = serviceFixture({ records: true });
  const workspace = workspaceFixture(service);

  it('is sealed when a key is set, resealed under a newer one, and waits for a missing key', async () => {
    await using receiver = await Receiver.start();
    const delivering = (...keys: string[]) => {
      const env = { WEBHOOK_SECRET_KEY: keys.join(',') };
      return startTestService({ database: service.stores.db.databaseName, delivers: true, env });
    };
    const stored = async () => JSON.stringify(await service.stores.db.collection('webhooks').find().toArray());
    const { id, secret } = await makeWebhook(service, { url: receiver.url });
    const verifies = async (count: number) => {
      await makeJob(service, workspace.id);
      const message = (await receiver.messages(count))[count - 1] ?? expect.fail('nothing came');
      new Webhook(secret).verify(message.text, message.headers as Record<string, string>);
    };
    expect(await stored()).toContain(secret);
    let last = await stored();
    for (const [index, keys] of [[OLD], [NEW, OLD]].entries()) {
      const gateway = await delivering(...keys);
      await verifies(index + 1);
      await deliveriesOf(service, id, (all) => all.filter(({ status }) => status === 'delivered').length > index);
      expect(await stored()).not.toContain(secret.slice('whsec_'.length));
      expect((await stored()).match(/sealed:\w+/g)).not.toEqual(last.match(/sealed:\w+/g));
      last = await stored();
      await gateway.stop();
    }
    const without = await delivering();
    await makeJob(service, workspace.id);
    const told = () => without.logged.filter(({ webhook, level }) => webhook === id && level === 40);
    await vi.waitFor(() => expect(JSON.stringify(told())).toContain('WEBHOOK_SECRET_KEY is not set here'), {
      timeout: 20_000,
    });
    await triedAgain(without, 3);
    expect(told()).toHaveLength(1);
    await without.stop();
    expect(receiver.received.length).toBe(2);
    await using gateway = await delivering(NEW);
    await verifies(4);
    const rotated = (await gateway.ask('POST', `/v2/webhooks/${id}/rotate`, { as: 'admin' })).body.secret;
    expect(rotated).toMatch(/^whsec_/);
    expect(await stored()).not.toContain(rotated.slice('whsec_'.length));
  });
});
