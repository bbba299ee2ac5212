import { Agent, request as open } from 'node:http';
import { headersOf } from '../load/load.ts';
import type { BenchRequest } from '../rows/operation.ts';

/** Requests to one service over persistent connections. */
export class HttpLoad {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #url: string;
  readonly #keys: readonly string[];
  #sent = 0;

  constructor(url: string, keys: readonly string[]) {
    this.#url = url;
    this.#keys = keys;
  }

  /** Sends requests concurrently, rotating through the keys, until all are answered; throws if one is refused. */
  async send(requests: readonly BenchRequest[]): Promise<void> {
    await Promise.all(requests.map((one) => this.#sendOne(one, this.#keys[this.#sent++ % this.#keys.length] ?? '')));
  }

  close(): void {
    this.#agent.destroy();
  }

  #sendOne(asked: BenchRequest, key: string): Promise<void> {
    const { method, path, body = '' } = asked;
    const headers: Record<string, string | number> = headersOf({ key }, asked);
    if (body !== '') headers['Content-Length'] = Buffer.byteLength(body);
    return new Promise((resolve, reject) => {
      const sent = open(this.#url + path, { method, headers, agent: this.#agent }, (response) => {
        const status = response.statusCode ?? 0;
        response.resume();
        response.once('error', reject);
        response.once('end', () => {
          if (status >= 200 && status < 300) resolve();
          else reject(new Error(`${method} ${path} was answered with ${status}`));
        });
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }
}
