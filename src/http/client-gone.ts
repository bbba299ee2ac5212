import type { ServerResponse } from 'node:http';

/** Whether the client disconnected before it had the whole response. */
export const isClientGone = (response: ServerResponse): boolean =>
  response.destroyed || response.socket?.destroyed === true;
