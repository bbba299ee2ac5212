import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../../src/demo/random.ts';
import { faultOfSignature } from '../../src/webhooks/verify.ts';
import type { Client } from '../client.ts';

/** One message that a receiver took. */
interface TakenMessage {
  /** The webhook-id. */
  readonly id: string;
  /** The id of the event. */
  readonly sequence: number;
  readonly document: string;
  readonly version: string | null;
}

/** A receiver fails with so many of a hundred messages, and is slow with as many. */
const FAILS_PERCENT = 5;
const SLOW_MS = 300;

/** A webhook with its receiver, which notes what it takes; one that is unsteady fails now and then. */
export class WebhookReceiver {
  readonly taken: TakenMessage[] = [];
  /** Messages that no receiver may get. */
  readonly wrong: string[] = [];
  id = '';
  /** The event after which the webhook begins. */
  place = 0;
  #secret = '';
  readonly #random: Random;
  readonly #isSteady: boolean;
  readonly #server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const chance = this.#random.next() * 100;
    if (!this.#isSteady && chance < FAILS_PERCENT) return void response.writeHead(500).end();
    this.#take({ headers: request.headers, body });
    if (!this.#isSteady && chance < 2 * FAILS_PERCENT) setTimeout(() => response.writeHead(204).end(), SLOW_MS);
    else response.writeHead(204).end();
  });

  private constructor(random: Random, isSteady: boolean) {
    this.#random = random;
    this.#isSteady = isSteady;
  }

  /** Listens, and makes the webhook, before the first fault. */
  static async start(client: Client, random: Random, { isSteady }: { isSteady: boolean }): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(random, isSteady);
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    receiver.#server.unref(); // a run that fails ends without closing it
    const url = `http://127.0.0.1:${(receiver.#server.address() as AddressInfo).port}/`;
    const made = await client.ask('POST', '/v2/webhooks', { as: 'admin', body: { url } });
    receiver.id = made.id;
    receiver.place = Number(made.place);
    receiver.#secret = made.secret;
    return receiver;
  }

  /** How many messages came again, which is allowed. */
  get doubled(): number {
    return this.taken.length - new Set(this.taken.map(({ id }) => id)).size;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #take(message: Parameters<typeof faultOfSignature>[1]): void {
    const fault = faultOfSignature(this.#secret, message);
    if (fault) return void this.wrong.push(`${fault}: ${message.body}`);
    const { data } = JSON.parse(message.body);
    const id = String(message.headers['webhook-id']);
    this.taken.push({ id, sequence: Number(data.id), document: data.document_id, version: data.version_id });
  }
}
