/** An answer as it is kept and sent again; headers are names and values in turn. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  /** The body has a secret and is encrypted. */
  readonly sealed?: boolean;
}

/** One use of an Idempotency-Key. A key belongs to its principal: another principal's equal key is another matter. */
export interface KeyUse {
  readonly principal: string;
  readonly key: string;
  /** What the request was; the same key with another fingerprint is refused. */
  readonly fingerprint: string;
}

/** A key that a request holds; `holder` is of one claim, so that one that was taken over is no longer its. */
export interface HeldKey extends KeyUse {
  readonly holder: string;
}

/** What the new ids of a request follow from. It stays the same when the key is taken over from a request that died. */
export interface Seed {
  readonly value: string;
  /** An earlier try of the request may have written something under these ids. */
  readonly isUsed: boolean;
  /** Whether the request has run for so long that another try may have taken its key over, and may have written, too. */
  isLate(): boolean;
}

/** What the storage knows of a key. */
export type Claim =
  /** The key was free (or its holder died): this request holds it now. */
  | { readonly state: 'claimed'; readonly seed: Seed; readonly holder: string }
  /** Another request holds it and is still running. */
  | { readonly state: 'running'; readonly fingerprint: string }
  /** The first request was answered. */
  | { readonly state: 'settled'; readonly fingerprint: string; readonly answer: Answer };
