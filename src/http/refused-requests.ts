import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { invalidHeader, ServiceError } from '../errors.ts';
import { headerValues } from './header-values.ts';
import { PROBLEM_TYPE, problemOf, problemText } from './problem.ts';
import { isAmendable, ReplayedConnection } from './replayed-connection.ts';
import { newRequestId } from './request-id.ts';
import type { StandingHeaders } from './standing-headers.ts';

/** The error of Node's parser for a request it refuses. */
interface Refusal extends Error {
  readonly code?: string;
  readonly reason?: string;
  /** The last bytes parsed. */
  readonly rawPacket?: Buffer;
}

interface Log {
  info(fields: object, message: string): void;
}

interface RefusalParts {
  readonly log: Log;
  readonly headers: StandingHeaders;
}

/** Fits an address with 200 client codes of 100 characters, percent-encoded (interface, "Limits"). */
export const MAX_HEADER_BYTES = 256 * 1024;

/** How many header fields a request may have: as many as Node allows by default. */
export const MAX_HEADER_FIELDS = 1_000;

/** How long a client may take to read why it was refused. */
const FAREWELL_MS = 5_000;

/**
 * Answers requests that Node's parser refuses (contract §13): one with raw UTF-8 in its address, or an unknown method, is
 * parsed again in a form the parser accepts; others get a problem document, and the connection is closed.
 */
export function serveRefused(server: Server, { log, headers }: RefusalParts): void {
  const answered = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, problem: ServiceError, reason: string | undefined): void => {
    if (socket.destroyed || !socket.writable || responseOn(socket)?.headersSent) {
      socket.destroy();
      return;
    }
    const requestId = newRequestId();
    endSoon(socket, rawAnswer(problem, requestId, headers));
    log.info({ requestId, status: problem.status, reason }, 'a request that is not HTTP as it should be');
  };
  const refuseInTurn = (socket: Duplex, error: Refusal): void => {
    const earlier = responseOn(socket);
    // Sent now, the refusal would be taken for the answer to the request being served.
    if (earlier?.req.complete) earlier.once('finish', () => setImmediate(refuseInTurn, socket, error));
    else if (!earlier && isInBody(socket)) endSoon(socket);
    else refuse(socket, problemFor(error), error.reason ?? error.code);
  };
  server.on('clientError', (error: Refusal, socket) => {
    if (answered.has(socket)) return;
    answered.add(socket);
    const { rawPacket: packet } = error;
    const mayBeAmended = packet && isOfRequestLine(error) && !responseOn(socket) && isAmendable(packet);
    if (mayBeAmended && socket instanceof Socket) server.emit('connection', new ReplayedConnection(socket, packet));
    else refuseInTurn(socket, error);
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (request, socket) => {
    const message = `CONNECT is not supported: this service is not a proxy. Allowed: ${METHODS}.`;
    refuse(socket, new ServiceError('METHOD_NOT_ALLOWED', message, { headers: { Allow: METHODS } }), request.method);
  });
}

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Node's internal state of a connection: the current response, and the request read last. */
interface Responding {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
}

const responseOn = (socket: Duplex): ServerResponse | undefined => (socket as Responding)._httpMessage ?? undefined;

/** Whether a body is incomplete, perhaps of a request answered early: what follows is no request. */
const isInBody = (socket: Duplex): boolean => (socket as Responding).parser?.incoming?.complete === false;

/** Ends a connection after some last words, and gives the client time to read them. */
function endSoon(socket: Duplex, lastWords = ''): void {
  socket.end(lastWords);
  if (socket instanceof Socket || socket instanceof ReplayedConnection)
    socket.setTimeout(FAREWELL_MS, () => socket.destroy());
}

/** Whether a method (RTSP's included) or an address is at fault: after other faults, what looks like a request may be part of one. */
const isOfRequestLine = ({ code, reason }: Refusal): boolean =>
  code === 'HPE_INVALID_METHOD' || code === 'HPE_INVALID_URL' || reason === 'Invalid method for HTTP/x.x request';

const HEADERS_ALLOWED = `The headers are too large or too many: a request may have ${MAX_HEADER_BYTES / 1024} KiB of them, its address included, in ${MAX_HEADER_FIELDS} fields.`;

function problemFor({ code, reason, message }: Refusal): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ServiceError('HEADERS_TOO_LARGE', HEADERS_ALLOWED);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ServiceError('REQUEST_TIMEOUT', 'The request took too long.');
  return new ServiceError('INVALID_INPUT', `This is not a valid HTTP request: ${reason ?? message}.`);
}

/** A raw response, since Node offers none for what it could not parse. */
function rawAnswer(error: ServiceError, requestId: string, standing: StandingHeaders): string {
  const body = problemText(problemOf(error), '/', requestId);
  const headers = [
    ['Content-Type', PROBLEM_TYPE],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['X-Request-Id', requestId],
    ['Date', new Date().toUTCString()],
    ['Connection', 'close'],
    ...Object.entries(error.headers),
    ...standing,
  ];
  const head = [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...headers.map((one) => one.join(': '))];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Restores the original method of a replayed request, and closes its connection after the answer. */
export function restoreMethod(request: IncomingMessage, response: ServerResponse): void {
  const connection: unknown = request.socket;
  if (!(connection instanceof ReplayedConnection)) return;
  request.method = connection.method ?? request.method;
  response.shouldKeepAlive = false;
}

/** Headers that say who asks, and whom: of two values, a proxy may use another than we do. */
const ONCE = ['Host', 'Authorization', 'Cookie'] as const;

/** An HTTP/1.1 request must have a Host (RFC 9112, 3.2); no request may repeat it, or a credential. */
export function headerError(request: IncomingMessage): ServiceError | undefined {
  const repeated = ONCE.find((name) => headerValues(request, name.toLowerCase()).length > 1);
  if (repeated) return invalidHeader(repeated, 'is sent more than once.');
  if (request.headers.host !== undefined || request.httpVersion !== '1.1') return undefined;
  return invalidHeader('Host', 'is missing.');
}
