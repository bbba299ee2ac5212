/** A response as stored for replays; headers alternate names and values. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  /** Whether the body is encrypted, because it has a secret. */
  readonly sealed?: boolean;
}

/** A stored response whose body is so large that it is read only once there is room for it. */
export interface LargeAnswer {
  /** The id of the file with the body. */
  readonly file: string;
  readonly bytes: number;
}

/** One use of an Idempotency-Key. Keys are scoped to their principal: another principal's equal key is unrelated. */
export interface KeyUse {
  readonly principal: string;
  readonly key: string;
  /** The fingerprint of the request; the same key with another fingerprint is rejected. */
  readonly fingerprint: string;
}

/** A key held by a request; `holder` identifies the claim, so a request whose key was taken over no longer matches. */
export interface HeldKey extends KeyUse {
  readonly holder: string;
}

/** The seed of a request's new ids. It stays the same when the key is taken over from a request that died. */
export interface Seed {
  readonly value: string;
  /** Whether an earlier attempt may have written something under these ids. */
  readonly isUsed: boolean;
  /** Whether the request has run so long that another attempt may have taken over its key, and may have written too. */
  isLate(): boolean;
}

/** The state of a key when a request claims it. */
export type Claim =
  /** The key was free (or its holder died): this request holds it now. */
  | { readonly state: 'claimed'; readonly seed: Seed; readonly holder: string }
  /** Another request holds it and is still running. */
  | { readonly state: 'running'; readonly fingerprint: string }
  /** The first request was answered. */
  | { readonly state: 'settled'; readonly fingerprint: string; readonly answer: Answer | LargeAnswer };
