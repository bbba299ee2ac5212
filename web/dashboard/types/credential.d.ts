// What the page uses of web/credential/credential.js, which is served beside it.

export function currentKey(): string;
export function showAnswer(status: number, sent: string): void;
export function onKey(take: () => void): void;
export function offerSignIn(): void;
export function withKey(headers: HeadersInit | undefined): Headers;
