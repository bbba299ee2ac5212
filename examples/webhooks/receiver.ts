// Run it with: WEBHOOK_SECRET=whsec_… PORT=3000 node receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';

const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const MOST_BYTES = 20_000; // no message is larger

const secret = SECRET.exec(process.env.WEBHOOK_SECRET ?? '')?.[1];
if (secret === undefined) {
  console.error('WEBHOOK_SECRET must be the secret of the webhook: whsec_ and the base64 of at least 24 bytes.');
  process.exit(1); // without a secret, anyone could sign
}
const key = Buffer.from(secret, 'base64');

function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const timestamp = Number(headers['webhook-timestamp']);
  if (!(Math.abs(Date.now() / 1000 - timestamp) <= 300)) return false;
  const hmac = createHmac('sha256', key).update(`${headers['webhook-id']}.${timestamp}.`).update(body);
  const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
  return String(headers['webhook-signature'])
    .split(' ')
    .map((text) => Buffer.from(text))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

const seen = new Set<unknown>(); // keep the ids in your database: a message can come twice

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > MOST_BYTES) return void response.writeHead(413, { Connection: 'close' }).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!isGenuine(request.headers, body)) return void response.writeHead(401).end();
  response.writeHead(204).end();
  const id = request.headers['webhook-id'];
  if (seen.has(id)) return;
  seen.add(id);
  console.log(`${id} ${JSON.parse(body.toString()).type}`);
}

const server = createServer((request, response) => {
  receive(request, response).catch(() => response.destroy()); // such as a sender that broke off, which sends the message again
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log('listening'));
