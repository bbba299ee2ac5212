import type { IncomingMessage, ServerResponse } from 'node:http';

const waiting = new WeakMap<IncomingMessage, { readonly response: ServerResponse; readonly keepsAlive: boolean }>();

/**
 * Makes a client that sent `Expect: 100-continue` wait until its body is wanted. If it is answered first, the connection is
 * closed, because the client may or may not send the body then (RFC 9110, section 10.1.1).
 */
export function holdContinue(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, { response, keepsAlive: response.shouldKeepAlive });
  response.shouldKeepAlive = false;
}

/** Tells a waiting client to send the body; call it before reading the body. */
export function askForBody(request: IncomingMessage): void {
  const held = waiting.get(request);
  if (held === undefined) return;
  waiting.delete(request);
  const { response, keepsAlive } = held;
  if (response.headersSent) return;
  response.shouldKeepAlive = keepsAlive;
  response.writeContinue();
}
