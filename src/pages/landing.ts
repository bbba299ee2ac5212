import { type RequestHandler, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Config } from '../config.ts';
import { DEMO_USER } from '../demo/principals.ts';
import { VERSION } from '../version.ts';
import { PANELS } from './dashboard.ts';
import { createPage, escapeHtml, type OfferedKey, own, type PageParts, sendPage } from './page.ts';

/** The contents of the page at `/`. */
interface LandingParts extends PageParts {
  readonly schema: GraphQLSchema;
  /** The number of REST endpoints. */
  readonly endpoints: number;
  readonly config: Pick<Config, 'environment'>;
}

/** The links for API clients, by name. */
const LINKS = {
  documentation: '/docs',
  openapi: '/openapi.json',
  graphql: '/graphql',
  dashboard: '/dashboard',
  health: '/bridge/v1/health',
  livez: '/livez',
  readyz: '/readyz',
} as const;

const page = createPage('/landing', 'landing/index.html', {
  'page.js': own('landing/page.js'),
  'page.css': own('landing/page.css'),
});

/** Answers `GET /` with a page for a browser, and with links for an API client (contract §16). */
export function landing(parts: LandingParts): RequestHandler {
  const html = landingPage(parts);
  const links = Object.fromEntries(Object.entries(LINKS).map(([name, path]) => [name, parts.basePath + path]));
  const router = Router();
  router.get('/', (request, response) => {
    response.vary('Accept');
    if (request.accepts('json', 'html') === 'html') sendPage(response, html);
    else response.set('Cache-Control', 'no-cache').json({ links });
  });
  router.use(page.files);
  return router;
}

function landingPage({ schema, endpoints, config, ...parts }: LandingParts): string {
  const count = (fields: object | undefined): string => String(Object.keys(fields ?? {}).length);
  return page.html(parts, {
    endpoints: String(endpoints),
    fields: count(schema.getQueryType()?.getFields()),
    questions: String(PANELS.length),
    mutations: count(schema.getMutationType()?.getFields()),
    version: escapeHtml(VERSION),
    environment: config.environment,
    keys: parts.keys.length === 0 ? '' : keysTable(parts.keys),
  });
}

function keysTable(keys: readonly OfferedKey[]): string {
  const rows = keys.map(
    ({ key, label }) => `<tr><td>${escapeHtml(label)}</td><td><code>${escapeHtml(key)}</code></td></tr>`,
  );
  const { username, password } = DEMO_USER;
  return `<h2>Demo keys</h2><p>Send one as <code>Authorization: Bearer …</code>.</p>
<table><thead><tr><th scope="col">Who</th><th scope="col">Key</th></tr></thead><tbody>${rows.join('')}</tbody></table>
<p>Or sign in as <code>${escapeHtml(username)}</code> with <code>${escapeHtml(password)}</code>.</p>`;
}
