import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM } from '../../model/command-line.ts';
import { STOP_SIGNALS } from '../../process/stop-signals.ts';
import { faultOfSignature } from '../../webhooks/verify.ts';
import { printable } from '../output/printable.ts';
import type { ServiceClient } from '../service-client.ts';

/** The webhook's settings, and where to forward its messages. */
export interface ListenOptions {
  readonly forward: string | undefined;
  readonly event_types: readonly string[] | undefined;
  readonly workspace: string | undefined;
  readonly signature: string | undefined;
}

interface MadeWebhook {
  readonly id: string;
  readonly secret: string;
  readonly signature: string;
}

const DESCRIPTION = `${PROGRAM} webhooks listen`;
/** Longer than any message. */
const MAX_BYTES = 1024 * 1024;
const FORWARD_MS = 15_000;
const [UNAUTHORIZED, TOO_LARGE, BAD_GATEWAY, NO_CONTENT] = [401, 413, 502, 204];

/** Creates a webhook that points here, prints its messages, and deletes it on a signal or when the reader of stdout has left. */
export async function listen(service: ServiceClient, { forward, ...settings }: ListenOptions): Promise<number> {
  const stopped = new AbortController();
  for (const signal of STOP_SIGNALS) process.once(signal, () => stopped.abort());
  process.stdout.once('error', () => stopped.abort()); // nobody can see the messages
  let webhook: MadeWebhook | undefined;
  const server = createServer((request, response) => {
    receive(request, response, { secret: () => webhook?.secret, forward }).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const body = { ...settings, url: `http://127.0.0.1:${port}/`, description: DESCRIPTION };
    webhook = (await service.ask('POST', '/v2/webhooks', { body })) as MadeWebhook;
    console.error(
      `The webhook ${webhook.id} leads here, to ${body.url}; its messages are verified with ${webhook.secret}`,
    );
    console.error(`Send it one with: ${PROGRAM} webhooks ping ${webhook.id}. Ctrl-C ends this, and deletes it.`);
    if (!stopped.signal.aborted) await once(stopped.signal, 'abort');
    return 0;
  } finally {
    server.close();
    server.closeAllConnections();
    if (webhook) await remove(service, webhook);
  }
}

async function remove(service: ServiceClient, { id }: MadeWebhook): Promise<void> {
  try {
    await service.ask('DELETE', `/v2/webhooks/${id}`);
    console.error(`The webhook ${id} is deleted.`);
  } catch (error) {
    throw new Error(`The webhook ${id} could not be deleted: ${(error as Error).message}`, { cause: error });
  }
}

interface Receiving {
  readonly secret: () => string | undefined;
  readonly forward: string | undefined;
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { secret, forward }: Receiving,
): Promise<void> {
  const body = await textOf(request);
  if (body === undefined) return void response.writeHead(TOO_LARGE).end();
  while (secret() === undefined && !request.destroyed) await sleep(20); // the message overtook the response with the secret
  const fault = faultOfSignature(secret() ?? '', { headers: request.headers, body });
  const status = fault ? UNAUTHORIZED : await forwarded(request, body, forward);
  response.writeHead(status).end();
  // A message without a valid signature may come from anybody, and is not shown on a terminal.
  if (fault) return console.log(`${new Date().toISOString()}  signature WRONG: ${fault}`);
  const { type } = JSON.parse(body) as { readonly type: string };
  const scheme = String(request.headers['webhook-signature']).split(',', 1)[0];
  const told = [type, request.headers['webhook-id'], `signature right (${scheme})`];
  if (forward) told.push(`${forward} responded with ${status}`);
  console.log(`${new Date().toISOString()}  ${printable(told.join('  '))}\n${printable(body)}`);
}

async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > MAX_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Forwards the message and returns the status of the response; without a target, 204. */
async function forwarded(
  { headers: got }: IncomingMessage,
  body: string,
  forward: string | undefined,
): Promise<number> {
  if (forward === undefined) return NO_CONTENT;
  const kept = Object.entries(got).filter(([name]) => name.startsWith('webhook-') || name === 'content-type');
  const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
  try {
    const request = { method: 'POST', body, redirect: 'manual', signal: AbortSignal.timeout(FORWARD_MS) } as const;
    const answer = await fetch(forward, { ...request, headers });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    const { cause = error } = error as Error;
    console.error(`${forward} does not respond: ${(cause as Error).message}`);
    return BAD_GATEWAY;
  }
}
