import type { ClientRequest, IncomingMessage } from 'node:http';

/** The most interim responses (1xx) that a receiver may send before its answer. */
const MAX_INTERIM = 10;
/** Limits on a response body, in size and time; beyond them the connection is closed. */
const MAX_IGNORED_BYTES = 64 * 1_024;
const MAX_IGNORED_MS = 2_000;

/** The receiver sent one interim response after another instead of an answer; each of them costs time of the event loop. */
export class TooManyInterimResponses extends Error {
  override readonly name = 'TooManyInterimResponses';

  constructor() {
    super(`the receiver sent more than ${MAX_INTERIM} interim responses (1xx)`);
  }
}

interface Sent {
  readonly body: string;
  readonly signal: AbortSignal;
}

/** The response to a request. If the receiver has just closed a reused connection, that is no failure: it is retried once on a new one. */
export async function send(post: () => ClientRequest, sent: Sent): Promise<IncomingMessage> {
  const request = post();
  try {
    return await answerTo(request, sent);
  } catch (error) {
    if (!request.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return answerTo(post(), sent);
  }
}

/** Settles on whichever comes first: a response (including a protocol switch), an error, a closed connection, or the signal. */
function answerTo(request: ClientRequest, { body, signal }: Sent): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const giveUp = (): void => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim > MAX_INTERIM) request.destroy(new TooManyInterimResponses());
  });
  request.once('response', resolve);
  request.once('upgrade', (response, socket) => {
    socket.destroy();
    resolve(response);
  });
  request.on('error', reject);
  request.once('close', () => reject(new Error('it was closed without a response')));
  request.end(body);
  return promise.finally(() => signal.removeEventListener('abort', giveUp));
}

/**
 * Discards a response body, and resolves when its connection is closed or can be used again. Closes the connection if the
 * receiver sends too much, however little of that is the body, or takes too long.
 */
export function ignoreBody(response: IncomingMessage): Promise<void> {
  const { socket } = response;
  const { promise, resolve } = Promise.withResolvers<void>();
  if (socket.destroyed) return Promise.resolve(); // it had switched protocols
  const before = socket.bytesRead;
  const close = (): void => void response.destroy();
  const limit = (): void => {
    if (socket.bytesRead - before > MAX_IGNORED_BYTES) close();
  };
  const timer = setTimeout(close, MAX_IGNORED_MS).unref();
  socket.on('data', limit);
  response.on('error', () => undefined);
  response.once('close', () => {
    clearTimeout(timer);
    socket.off('data', limit);
    resolve();
  });
  response.resume();
  return promise;
}
