// Run it with: WEBHOOK_SECRET=whsec_… PORT=3000 node receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64');

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
  for await (const chunk of request) chunks.push(chunk);
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
