import type { IncomingMessage } from 'node:http';
import { unauthenticated } from '../errors.ts';
import type { KeyRing } from './keys.ts';
import type { Viewer } from './viewer.ts';

export type Authenticate = (request: IncomingMessage) => Viewer | undefined | Promise<Viewer | undefined>;

/** Reads the credential of a request (contract §2): undefined without one, UNAUTHENTICATED for one that is not good. */
export function authenticator(keys: KeyRing): Authenticate {
  return (request) => {
    const header = request.headers.authorization;
    if (header === undefined) return undefined;
    const [, token] = /^bearer +(\S+) *$/i.exec(header) ?? [];
    if (token === undefined) throw unauthenticated('The Authorization header must be "Bearer <API key>".');
    const viewer = keys.viewerOf(token);
    return viewer instanceof Promise ? viewer.then(known) : known(viewer);
  };
}

function known(viewer: Viewer | undefined): Viewer {
  if (viewer) return viewer;
  throw unauthenticated('The API key is unknown, expired or revoked.');
}
