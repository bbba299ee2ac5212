import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../rest-compat/endpoints.ts';
import { type Answer, serviceFixture } from '../../service.ts';
import { makeWebhook } from '../webhook-fixture.ts';

const service = serviceFixture({ env: { WEBHOOK_MAX_PER_TENANT: '12' } });

const post = (path: string, key: string, body: object = {}) =>
  service.ask('POST', `/v2/webhooks${path}`, { as: 'admin', body, headers: { 'Idempotency-Key': key } });
const uses = () => service.stores.db.collection('idempotency');
const isReplayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed') === 'true';

describe('the secret of a webhook', () => {
  it('is in the replayed response, but not in what is stored for it', async () => {
    const body = { url: 'https://a.example/1', enabled: false };
    const [first, again] = [await post('', 'secret-1', body), await post('', 'secret-1', body)];
    expect([first.status, isReplayed(first), again.status, isReplayed(again)]).toEqual([201, false, 201, true]);
    expect(again.text).toBe(first.text);
    expect(first.body.secret).toMatch(/^whsec_/);
    const rotated = [
      await post(`/${first.body.id}/rotate`, 'secret-2'),
      await post(`/${first.body.id}/rotate`, 'secret-2'),
    ];
    expect(rotated.map(isReplayed)).toEqual([false, true]);
    expect(rotated[1]?.text).toBe(rotated[0]?.text);
    expect(rotated[0]?.body.secret).not.toBe(first.body.secret);
    const stored = JSON.stringify(
      await uses()
        .find({ 'answer.status': { $lt: 300 } })
        .toArray(),
    );
    for (const secret of [first.body.secret, rotated[0]?.body.secret]) {
      expect(stored).not.toContain(secret.slice('whsec_'.length));
    }
    expect(stored).not.toContain('whsec_');
    expect(stored).not.toContain('secret-1');
  });

  it('is shown again to whoever repeats a request whose gateway died, with nothing created twice', async () => {
    const body = { url: 'https://a.example/2', enabled: false };
    const first = await post('', 'died', body);
    const { modifiedCount } = await uses().updateOne(
      { _id: new RegExp(`${hash('sha256', 'died', 'base64url')}$`) as never },
      { $unset: { answer: 1 }, $set: { lease_until: new Date(0) } },
    );
    expect(modifiedCount).toBe(1);
    const again = await post('', 'died', body);
    expect([again.status, isReplayed(again), again.body]).toEqual([201, false, first.body]);
    const all = (await service.ask('GET', '/v2/webhooks', { as: 'admin' })).body;
    expect(all.filter(({ url }: { url: string }) => url === body.url).length).toBe(1);
  });

  it('is stored sealed for every endpoint that shows one', () => {
    const showing = endpoints.filter(({ operation }) => /\bsecret\b/.test(operation));
    expect(showing.map(({ id, showsSecret }) => [id, showsSecret])).toEqual([
      ['v2.webhooks.create', true],
      ['v2.webhooks.rotate', true],
    ]);
  });
});

describe('the webhooks of a tenant', () => {
  it('never exceed the limit, even when many are created at once', async () => {
    await makeWebhook(service, { url: 'https://a.example/', enabled: false });
    const body = { url: 'https://a.example/', enabled: false };
    const make = async (): Promise<Answer> => {
      const answer = await service.ask('POST', '/v2/webhooks', { as: 'admin', body });
      return answer.status === 503 ? make() : answer; // on a busy machine they block each other for too long
    };
    const answers = await Promise.all(Array.from({ length: 20 }, make));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect((await service.ask('GET', '/v2/webhooks', { as: 'admin' })).body.length).toBeLessThanOrEqual(12);
    expect(await service.stores.db.collection('webhooks').countDocuments()).toBeLessThanOrEqual(12);
  });
});
