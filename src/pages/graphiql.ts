import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import compression from 'compression';
import { type RequestHandler, Router } from 'express';

/** An API key that the page offers, and whose it is. */
export interface OfferedKey {
  readonly key: string;
  readonly label: string;
}

/** What GraphiQL is opened with: the keys it offers (the first is filled in); none in production. */
export interface GraphiqlOptions {
  readonly keys: readonly OfferedKey[];
}

const ADDRESS = '/graphiql';
const own = fileURLToPath(new URL('../../web/graphiql/', import.meta.url));
const packaged = (name: string, path: string): string =>
  join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);

/** The files of the page by the name they are served under; what is not our own is the packages' ready-made browser build. */
const FILES: Readonly<Record<string, string>> = {
  'react.js': packaged('react', 'umd/react.production.min.js'),
  'react-dom.js': packaged('react-dom', 'umd/react-dom.production.min.js'),
  'graphiql.js': packaged('graphiql', 'graphiql.min.js'),
  'graphiql.css': packaged('graphiql', 'graphiql.min.css'),
  'page.js': join(own, 'page.js'),
  'page.css': join(own, 'page.css'),
};

const version = Object.values(FILES)
  .reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256'))
  .digest('hex')
  .slice(0, 12);

/** Nothing from another host and no inline script; GraphiQL sets inline styles and carries its fonts as data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  'font-src data:',
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page as HTML; its files come from `graphiqlAssets`. */
export function graphiqlPage({ keys }: GraphiqlOptions): string {
  const values: Readonly<Record<string, string>> = {
    assets: `${ADDRESS}/${version}`,
    key: escapeHtml(keys[0]?.key ?? ''),
    callers: keys.map(({ key, label }) => `<option value="${escapeHtml(key)}">${escapeHtml(label)}</option>`).join(''),
    example: escapeHtml(readFileSync(join(own, 'example.graphql'), 'utf8')),
  };
  const page = readFileSync(join(own, 'index.html'), 'utf8');
  return page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}

/** Answers a browser's GET with the page, and hands every other request on; mounted at /graphql, before GraphQL itself. */
export function graphiql(options: GraphiqlOptions): RequestHandler {
  const page = graphiqlPage(options);
  return (request, response, next) => {
    response.vary('Accept');
    if (request.method !== 'GET' || request.accepts('json', 'html') !== 'html') return next();
    response.set({
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-cache',
    });
    response.type('html').send(page);
  };
}

/** The files of the page at `/graphiql/<version>/<name>`, which browsers may keep for ever. */
export function graphiqlAssets(): Router {
  const router = Router();
  router.use(ADDRESS, compression());
  for (const [name, file] of Object.entries(FILES)) {
    router.get(`${ADDRESS}/${version}/${name}`, (_request, response) => {
      response.set('X-Content-Type-Options', 'nosniff');
      response.sendFile(file, { immutable: true, maxAge: '1y', dotfiles: 'allow', acceptRanges: false });
    });
  }
  return router;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
