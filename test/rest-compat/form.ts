import { assertDescribed } from '../assert-described.ts';
import type { Caller, TestService } from '../service.ts';
import { CALLERS } from '../service.ts';

/** A part of a multipart form, exactly as sent. */
export interface Part {
  readonly head: string;
  readonly bytes: Buffer;
}

export const BOUNDARY = 'a-boundary-of-tests';

/** A part with a file in it; `disposition` is what follows the part's name. */
export const filePart = (
  bytes: Buffer | string,
  { part = 'file', disposition = 'filename="a.txt"', type = 'text/plain' } = {},
): Part => ({
  head: `Content-Disposition: form-data; name="${part}"; ${disposition}\r\nContent-Type: ${type}\r\n`,
  bytes: Buffer.from(bytes as Buffer),
});

export const fieldPart = (name: string, value: string): Part => ({
  head: `Content-Disposition: form-data; name="${name}"\r\n`,
  bytes: Buffer.from(value),
});

export const formOf = (...parts: readonly Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ head, bytes }) => [
      Buffer.from(`--${BOUNDARY}\r\n${head}\r\n`, 'utf8'),
      bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);

interface Sent {
  readonly as?: Caller | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** Sends bytes as a multipart form. */
export async function sendForm(
  { url }: TestService,
  path: string,
  body: Buffer,
  { as = 'client', headers }: Sent = {},
) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${CALLERS[as]}`,
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
      ...headers,
    },
    body: new Uint8Array(body),
  });
  const text = await response.text();
  const { status, headers: got } = response;
  await assertDescribed(url, { method: 'POST', path, status, headers: got, text });
  return { status, headers: got, body: JSON.parse(text) };
}

/** An answer's bytes. */
export async function fetchBytes(
  { url }: TestService,
  path: string,
  { as = 'client', headers, method = 'GET' }: Sent = {},
) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${CALLERS[as]}`, ...headers },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const { status, headers: got } = response;
  await assertDescribed(url, { method, path, status, headers: got, text: bytes.toString() });
  return { status, headers: got, bytes };
}
