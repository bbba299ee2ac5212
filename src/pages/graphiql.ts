import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RequestHandler } from 'express';
import { createPage, escapeHtml, own, type PageParts, packaged, sendPage } from './page.ts';

/** The contents of GraphiQL's page, and who sees it. */
interface GraphiqlOptions extends PageParts {
  /** Lets authorized readers through. */
  readonly admit: RequestHandler;
}

const page = createPage('/graphiql', 'graphiql/index.html', {
  'react.js': packaged('react', 'umd/react.production.min.js'),
  'react-dom.js': packaged('react-dom', 'umd/react-dom.production.min.js'),
  'graphiql.js': packaged('graphiql', 'graphiql.min.js'),
  'graphiql.css': packaged('graphiql', 'graphiql.min.css'),
  'graphql-sse.js': packaged('graphql-sse', 'umd/graphql-sse.min.js'),
  'page.js': own('graphiql/page.js'),
  'page.css': own('graphiql/page.css'),
});

const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}.graphql`, import.meta.url));

/** The initial contents of the tabs, each titled with the name of its operation. */
const TABS = [
  own('graphiql/newest-jobs.graphql'),
  example('completeness'),
  example('quantity-reconciliation'),
  example('time-and-laytime'),
  example('quality'),
  example('vessel-experience'),
  example('statistics'),
  own('graphiql/changes.graphql'),
  example('webhooks'),
];

/** The page as HTML; its files come from `graphiqlFiles`. */
export function graphiqlPage(parts: PageParts): string {
  const tabs = TABS.map((file) => `<template class="tab">${escapeHtml(readFileSync(file, 'utf8'))}</template>`);
  return page.html(parts, { tabs: tabs.join('\n') });
}

/** Answers a browser's GET or HEAD with the page, and passes on all other requests; mounted at /graphql, before GraphQL itself. */
export function graphiql(options: GraphiqlOptions): RequestHandler {
  const html = graphiqlPage(options);
  return (request, response, next) => {
    response.vary('Accept');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || request.accepts('json', 'html') !== 'html') next();
    else options.admit(request, response, () => sendPage(response, html));
  };
}

/** The files of the page, below /graphiql. */
export const graphiqlFiles = page.files;
