// The receivers of the webhook benchmarks, in a separate process: /living/… responds at once, /hanging/… never does.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The deliveries to the living receivers since the last query. */
export interface Deliveries {
  /** Milliseconds from the change to its message, ascending. */
  readonly delays: readonly number[];
  /** The documents of the messages. */
  readonly documents: readonly string[];
}

let delays: number[] = [];
let documents: string[] = [];

const server = createServer(async (request, response) => {
  let text = '';
  for await (const piece of request) text += piece;
  if (request.url?.startsWith('/hanging')) return;
  response.writeHead(204).end();
  const { data } = JSON.parse(text) as { readonly data: { readonly at: string; readonly document_id: string } };
  delays.push(Date.now() - Date.parse(data.at));
  documents.push(data.document_id);
});

server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', () => {
  process.send?.({ delays: delays.sort((a, b) => a - b), documents } satisfies Deliveries);
  delays = [];
  documents = [];
});
process.on('disconnect', () => process.exit());
process.send?.((server.address() as AddressInfo).port);
