import type { IncomingMessage, ServerResponse } from 'node:http';

/** Serves one request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;
