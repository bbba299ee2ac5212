import { createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { DocumentEvent } from '../../src/model/entity/event.ts';
import { factsOf, REFERENCE_MEMBERS } from '../../src/model/entity/event-facts.ts';
import { EVENT_TYPES } from '../../src/model/webhooks/webhook-events.ts';
import { messagesOf } from '../../src/webhooks/messages.ts';
import { pauseAfter, RETRY_SECONDS, retryAfterMs } from '../../src/webhooks/retry-schedule.ts';
import { newSecret, signaturesOf } from '../../src/webhooks/signatures.ts';
import { faultOfSignature } from '../../src/webhooks/verify.ts';

/** The message of the test vectors of the Standard Webhooks reference libraries. */
const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: new Date(1_614_265_330_000), body: '{"test": 2432232314}' };
/** From the libraries in every language: the secret, and the signature of the message. */
const V1 = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='] as const;
/** From the Go library, the only one that signs with private keys. */
const V1A = [
  'whsk_VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=',
  'v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==',
] as const;

/** The public key of a private one, in the form shown to receivers. */
function publicOf(privateKey: string): string {
  const seed = Buffer.from(privateKey.slice('whsk_'.length), 'base64').subarray(0, 32);
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return `whpk_${key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`;
}

const headersOf = (signature: string) => ({
  'webhook-id': MESSAGE.id,
  'webhook-timestamp': String(MESSAGE.at.getTime() / 1_000),
  'webhook-signature': signature,
});

describe('signatures', () => {
  it.each([V1, V1A])('of %s match the published vector', (value, signature) => {
    expect(signaturesOf([{ value, shown: '' }], MESSAGE)).toBe(signature);
  });

  it('of v1a are the same for a private key followed by its public key, as in libsodium', () => {
    const [seed, signature] = V1A;
    const parts = [seed.slice('whsk_'.length), publicOf(seed).slice('whpk_'.length)];
    const value = `whsk_${Buffer.concat(parts.map((part) => Buffer.from(part, 'base64'))).toString('base64')}`;
    expect(signaturesOf([{ value, shown: '' }], MESSAGE)).toBe(signature);
  });

  it.each([
    [V1[0], V1[1]],
    [publicOf(V1A[0]), V1A[1]],
  ])('are verified with %s among others, and others are rejected', (shown, signature) => {
    const [kind, value = ''] = signature.split(',');
    const foreign = `${kind},${Buffer.from(value, 'base64').reverse().toString('base64')}`;
    const fault = (header: string, body = MESSAGE.body) =>
      faultOfSignature(shown, { headers: headersOf(header), body }, MESSAGE.at);
    expect(fault(signature)).toBeUndefined();
    expect(fault(`${foreign} v2,${value} ${signature} ${foreign}`)).toBeUndefined();
    for (const wrong of [
      foreign,
      `${kind},`,
      `${kind},${value.slice(0, 8)}`,
      `v2,${value}`,
      'v1,dawfeoifkpqwoekfpqoekf',
    ]) {
      expect(fault(wrong)).toBe('no signature fits');
    }
    expect(fault(signature, `${MESSAGE.body} `)).toBe('no signature fits');
  });

  it('leave out an expired secret', () => {
    const secrets = [newSecret('v1'), { ...newSecret('v1'), until: new Date(1_000) }];
    const count = (at: number) => signaturesOf(secrets, { id: 'a', at: new Date(at), body: '' }).split(' ').length;
    expect([count(999), count(1_000)]).toEqual([2, 1]);
  });
});

describe('a message', () => {
  it('has one of the types of contract §14, or is about a specification', () => {
    const nouns = ['job', 'quality_result', 'quantity_result', 'time_log', 'load_port_information', 'specification'];
    const changes = [...nouns, 'attachment'].flatMap((noun) =>
      ['created', 'changed', 'deleted'].map((kind) => `${noun}.${kind}`),
    );
    expect(EVENT_TYPES).toEqual([
      ...changes,
      'job.completed',
      'quality_result.off_spec',
      'finding.appeared',
      'finding.settled',
      'webhook.ping',
    ]);
  });

  it('is smaller than 20 kB, whatever the references are', () => {
    const longest = ['\u0001'.repeat(166), '"'.repeat(499), '\ud83d\ude00'.repeat(249), 'R'.repeat(998)];
    const referencesOf = (text: string) => {
      const body = Object.fromEntries(REFERENCE_MEMBERS.map((name) => [name, text]));
      return factsOf({ type: 'svc.inspection.job', body }).references;
    };
    for (const text of longest) {
      expect(Object.values(referencesOf(text))).toEqual(REFERENCE_MEMBERS.map(() => text));
      expect(referencesOf(`${text}${text[0]}`)).toEqual({}); // left out, never cut
    }
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
    };
    for (const text of longest) {
      const [message] = messagesOf(
        { ...event, references: referencesOf(text) },
        { _id: 'w', tenant: 't', event_types: [] },
      );
      expect(Buffer.byteLength(JSON.stringify(message?.payload))).toBeLessThan(20_000);
    }
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
