import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import type { SigningSecret } from '../model/webhooks/webhook.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^sealed:([0-9a-f]{8}):(.+)$/;

interface Key {
  /** Identifies the key in sealed text. */
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * Encrypts webhook secrets for the database (AES-256-GCM) under the operator's first key; the other keys still decrypt.
 * Without keys, secrets are stored as they are. A sealed secret is bound to its webhook.
 */
export class SecretBox {
  readonly #keys: readonly Key[];

  constructor(keys: readonly Buffer[]) {
    this.#keys = keys.map((bytes) => ({ id: hash('sha256', bytes, 'hex').slice(0, 8), bytes }));
  }

  /** The names of the keys, that of the newest first. */
  get keyNames(): readonly string[] {
    return this.#keys.map(({ id }) => id);
  }

  /** The secret as stored. The public key of a key pair stays legible. */
  seal(secret: SigningSecret, webhook: string): SigningSecret {
    const [key] = this.#keys;
    if (!key) return secret;
    const value = sealed(secret.value, key, webhook);
    return { ...secret, value, shown: secret.shown === secret.value ? value : secret.shown };
  }

  /** The secret as used for signing and shown. Throws an error that names the webhook, and the key if it is missing. */
  open(secret: SigningSecret, webhook: string): SigningSecret {
    const value = this.#opened(secret.value, webhook);
    return { ...secret, value, shown: secret.shown === secret.value ? value : secret.shown };
  }

  /** Whether the secret is stored as `seal` would store it now. */
  isCurrent(secret: SigningSecret): boolean {
    return keyNameOf(secret) === this.#keys[0]?.id;
  }

  #opened(text: string, webhook: string): string {
    const [, id, data = ''] = SEALED.exec(text) ?? [];
    if (id === undefined) return text;
    const key = this.#keys.find((one) => one.id === id);
    if (!key) throw new Error(`the secret of the webhook ${webhook} is encrypted under the key ${id}, ${this.#lack}`);
    const bytes = Buffer.from(data, 'base64');
    const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, key.bytes, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    try {
      decipher.setAAD(Buffer.from(webhook)).setAuthTag(tag);
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString();
    } catch (cause) {
      throw new Error(`the secret of the webhook ${webhook} cannot be decrypted: what is stored was changed`, {
        cause,
      });
    }
  }

  get #lack(): string {
    const names = this.keyNames.join(' and ');
    return names === ''
      ? 'and WEBHOOK_SECRET_KEY is not set here'
      : `which is not in WEBHOOK_SECRET_KEY here, with ${names}`;
  }
}

/** The name of the key that a stored secret is encrypted under; undefined if it is stored as it is. */
export const keyNameOf = ({ value }: SigningSecret): string | undefined => SEALED.exec(value)?.[1];

function sealed(text: string, { id, bytes }: Key, webhook: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, bytes, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(webhook));
  const data = Buffer.concat([cipher.update(text), cipher.final()]);
  return `sealed:${id}:${Buffer.concat([iv, cipher.getAuthTag(), data]).toString('base64')}`;
}

/** The keys in a comma-separated base64 list, newest first; undefined if any is not 32 bytes long. */
export function secretKeys(text: string): readonly Buffer[] | undefined {
  const parts = text.split(',').map((part) => part.trim());
  const isKey = (part: string) => /^[A-Za-z0-9+/]{43}=$/.test(part);
  return parts.every(isKey) ? parts.map((part) => Buffer.from(part, 'base64').subarray(0, KEY_BYTES)) : undefined;
}
