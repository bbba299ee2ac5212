import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { FormData, fetch, request } from 'undici';
import { inspect } from './inspection.ts';

/** Uploads and downloads use undici.request, everything else its fetch. */
await inspect({
  expects: false, // undici refuses to send the header
  async send({ method, url, headers, json, form, stream }) {
    if (stream) {
      const answer = await request(url, { method, headers, body: stream });
      const text = await answer.body.text();
      const header = (name: string) => [answer.headers[name] ?? []].flat()[0];
      return { status: answer.statusCode, text, header, redirects: 0 };
    }
    const body = form ? copied(form) : json && JSON.stringify(json);
    const type = json && { 'Content-Type': 'application/json' };
    const answer = await fetch(url, { method, headers: { ...headers, ...type }, ...(body && { body }) });
    return {
      status: answer.status,
      text: await answer.text(),
      header: (name) => answer.headers.get(name) ?? undefined,
      redirects: answer.redirected ? 1 : 0,
    };
  },
  async download(url, headers) {
    const { body } = await fetch(url, { headers });
    return Readable.fromWeb(body as ReadableStream);
  },
});

/** The same form in undici's own class, whose version may differ from Node's. */
function copied(form: globalThis.FormData): FormData {
  const own = new FormData();
  for (const [name, value] of form) {
    if (typeof value === 'string') own.append(name, value);
    else own.append(name, value, value.name);
  }
  return own;
}
