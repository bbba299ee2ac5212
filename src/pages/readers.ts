import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RequestHandler, Router } from 'express';
import { unauthenticated } from '../errors.ts';
import type { Gateway } from '../gateway.ts';
import type { DatabaseWatch } from '../store/connection/database-watch.ts';
import { createPage, own, sendPage } from './page.ts';

/** Who may read the documentation and open GraphiQL. */
interface Readers {
  /** Lets authorized readers through, and answers the others itself. */
  readonly admit: RequestHandler;
  /** Serves the files of the page shown to the others. */
  readonly files: RequestHandler;
}

/** Admits everybody without authentication. */
export const everybody: Readers = { admit: (_request, _response, next) => next(), files: Router() };

interface KnownReadersParts {
  /** The path of BASE_URL, without a trailing slash. */
  readonly basePath: string;
  readonly gateway: Gateway;
  readonly watch: DatabaseWatch;
  /** Answers a request with an error. */
  refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void;
}

/** Admits only callers with a credential: a browser without one gets a sign-in page, everyone else a 401. */
export function knownReaders({ basePath, gateway, watch, refuse }: KnownReadersParts): Readers {
  const page = createPage('/sign-in', 'sign-in/index.html', {
    'page.js': own('sign-in/page.js'),
    'page.css': own('sign-in/page.css'),
  });
  const html = page.html({ basePath, keys: [] }, {});
  const admit: RequestHandler = (request, response, next) => {
    const outcome = watch.race(Promise.try(() => gateway.authenticate(request, false)));
    outcome
      .then((viewer) => {
        if (viewer === undefined) throw unauthenticated();
        next();
      })
      .catch((error: { readonly status?: number }) => {
        if (error.status !== 401 || request.accepts('json', 'html') !== 'html') refuse(request, response, error);
        else sendPage(response.status(401), html);
      });
  };
  return { admit, files: page.files };
}
