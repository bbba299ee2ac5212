import { Agent, request as open } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** One request, as it goes over the wire. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  /** Sent without a length. */
  readonly chunked?: boolean | undefined;
}

/** What came back; the text is decoded. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An answer takes longer only where something hangs. */
const PATIENCE_MS = 20_000;
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
};

class ClosedMeanwhile extends Error {}

/** Sends requests one after the other over a connection that is kept. */
export class Client {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * Undefined where Node refuses to send such a request at all; rejects where no answer comes. A connection that was idle
   * may be closed just then, so that a request over such a one is sent again.
   */
  async send(request: Request): Promise<Answer | undefined> {
    try {
      return await this.#sendOnce(request);
    } catch (error) {
      if (!(error instanceof ClosedMeanwhile)) throw error;
      return this.#sendOnce(request);
    }
  }

  #sendOnce({ method, path, headers, body, chunked }: Request): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      // Said in every method: for some, Node would send a body without either, which nobody could tell from a next request.
      const framing = chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(body?.length) };
      const length = body ? framing : {};
      const all = { ...headers, ...length };
      const { hostname, port } = new URL(this.#url);
      let sent: ReturnType<typeof open>;
      try {
        sent = open({ hostname, port, method, path, headers: all, agent: this.#agent, timeout: PATIENCE_MS });
      } catch {
        resolve(undefined);
        return;
      }
      sent.on('timeout', () => sent.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isIdle = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(isIdle ? new ClosedMeanwhile(error.message) : error);
      });
      sent.on('upgrade', (_, socket) => {
        socket.destroy();
        reject(new Error('the connection was upgraded'));
      });
      sent.on('response', (response) => {
        const fields = new Headers();
        for (const [name, value] of Object.entries(response.headersDistinct))
          for (const one of value ?? []) fields.append(name, one);
        const status = response.statusCode ?? 0;
        const isStream = fields.get('content-type')?.startsWith('text/event-stream');
        if (isStream) {
          sent.destroy();
          resolve({ status, headers: fields, text: '' });
          return;
        }
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const decode = bytes.length > 0 ? DECODERS[fields.get('content-encoding') ?? ''] : undefined;
          resolve({ status, headers: fields, text: (decode?.(bytes) ?? bytes).toString() });
        });
      });
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
