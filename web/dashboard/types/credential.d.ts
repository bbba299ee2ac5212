// What the page uses of web/credential/credential.js, which is served beside it.

export function currentKey(): string;
export interface Caller {
  readonly key: string;
  readonly session: string;
}
export function currentCaller(): Caller;
export function showAnswer(status: number, sent: Caller): void;
export function onKey(take: () => void): void;
export function offerSignIn(): void;
export function withKey(headers: HeadersInit | undefined): Headers;
