import { describe, expect, it } from 'vitest';
import type { DocumentEvent } from '../../src/model/entity/event.ts';
import { EVENT_TYPES } from '../../src/model/webhooks/webhook-events.ts';
import { messagesOf } from '../../src/webhooks/messages.ts';
import { pauseAfter, RETRY_SECONDS, retryAfterMs } from '../../src/webhooks/retry-schedule.ts';
import { newSecret, signaturesOf } from '../../src/webhooks/signatures.ts';

describe('signatures', () => {
  it('are those of the specification’s vector for v1', () => {
    const secret = { value: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', shown: '' };
    const message = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      at: new Date(1_614_265_330_000),
      body: '{"test": 2432232314}',
    };
    expect(signaturesOf([secret], message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('are deterministic for v1a, as Ed25519 is (RFC 8032, test 1: the key of the empty message)', () => {
    const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
    const point = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
    const secret = { value: `whsk_${Buffer.concat([seed, point]).toString('base64')}`, shown: '' };
    const message = { id: 'msg_1', at: new Date(1_614_265_330_000), body: '{}' };
    const signature = signaturesOf([secret], message);
    expect(signature).toMatch(/^v1a,[A-Za-z0-9+/]{86}==$/);
    expect(signaturesOf([secret], message)).toBe(signature);
  });

  it('leave out a secret whose time is over', () => {
    const secrets = [newSecret('v1'), { ...newSecret('v1'), until: new Date(1_000) }];
    const count = (at: number) => signaturesOf(secrets, { id: 'a', at: new Date(at), body: '' }).split(' ').length;
    expect([count(999), count(1_000)]).toEqual([2, 1]);
  });
});

describe('a message', () => {
  it('has one of the types of contract §14, or tells of a specification', () => {
    const nouns = ['job', 'quality_result', 'quantity_result', 'time_log', 'load_port_information', 'specification'];
    const changes = [...nouns, 'attachment'].flatMap((noun) =>
      ['created', 'changed', 'deleted'].map((kind) => `${noun}.${kind}`),
    );
    expect(EVENT_TYPES).toEqual([...changes, 'job.completed', 'quality_result.off_spec', 'webhook.ping']);
  });

  it('is smaller than 20 kB, whatever the references are', () => {
    const long = '\u0001'.repeat(200);
    const names = Array.from({ length: 12 }, (_, index) => [`member${index}`, long]);
    const event: DocumentEvent = {
      _id: 'x',
      sequence: 1,
      kind: 'created',
      document: 'd',
      type: 'svc.inspection.job',
      workspace: null,
      readers: [],
      version: null,
      by: null,
      at: new Date(),
      references: Object.fromEntries(names),
    };
    const [message] = messagesOf(event, { _id: 'w', event_types: [] });
    expect(JSON.stringify(message?.payload).length).toBeLessThan(20_000);
  });
});

describe('the retry schedule', () => {
  it('is ten attempts over 75 hours, 35 minutes and 5 seconds, with jitter', () => {
    expect(RETRY_SECONDS.length).toBe(10);
    expect(RETRY_SECONDS.reduce((a, b) => a + b)).toBe(75 * 3_600 + 35 * 60 + 5);
    expect([pauseAfter(1, RETRY_SECONDS, () => 0), pauseAfter(1, RETRY_SECONDS, () => 1)]).toEqual([5_000, 5_500]);
    expect(pauseAfter(10, RETRY_SECONDS)).toBeUndefined();
  });

  it('reads Retry-After as seconds or a date, up to a day', () => {
    const now = new Date('2026-01-01T00:00:00Z');
    const read = (text: string | undefined) => retryAfterMs(text, now);
    expect([read('7'), read('Thu, 01 Jan 2026 00:01:00 GMT'), read('soon'), read(undefined)]).toEqual([
      7_000, 60_000, 0, 0,
    ]);
    expect([read('9999999999'), read('Wed, 31 Dec 2025 00:00:00 GMT')]).toEqual([86_400_000, 0]);
  });
});
