import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KnownHosts } from '../http/known-hosts.ts';

/** The metrics as text. */
export interface MetricsText {
  readonly contentType: string;
  readonly read: () => Promise<string>;
}

/** A listening metrics server. */
export interface MetricsServer {
  readonly url: string;
  stop(): Promise<void>;
}

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
  /** The hosts served; undefined to serve any. */
  readonly hosts: KnownHosts | undefined;
}

/** Serves `GET /metrics` on its own address, separate from the API (contract §16); throws if it cannot listen. */
export async function serveMetrics(
  { contentType, read }: MetricsText,
  { host, port, hosts }: MetricsAddress,
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    const [path] = (request.url ?? '').split('?');
    const fault = faultOfHost(request, hosts);
    if (fault !== undefined) answer(response, 421, `${fault}\n`);
    else if (path !== '/metrics') answer(response, 404, 'There is nothing here; the metrics are at /metrics.\n');
    else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      answer(response, 405, 'The metrics can only be read: GET /metrics.\n');
    } else {
      read().then(
        (text) => {
          response.setHeader('Content-Type', contentType);
          answer(response, 200, text);
        },
        (error: Error) => answer(response, 503, `The metrics cannot be read: ${error.message}\n`),
      );
    }
  });
  server.unref(); // so that a failed start can end the process
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: given } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${given}/metrics`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** What is wrong with the host that a request names; undefined if it is served. */
function faultOfHost(request: IncomingMessage, hosts: KnownHosts | undefined): string | undefined {
  try {
    hosts?.check(request);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function answer(response: ServerResponse, status: number, text: string): void {
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.writeHead(status, { 'Content-Length': Buffer.byteLength(text) }).end(text);
}
