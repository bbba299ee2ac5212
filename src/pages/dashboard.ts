import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Router } from 'express';
import { hashOf } from '../graphql/persisted/persisted-operations.ts';
import { createPage, escapeHtml, own, type PageParts, packaged, sendPage } from './page.ts';

/** The panels of the dashboard, in page order: one question each (docs/dashboards.md). */
export const PANELS = ['jobs', 'voyages', 'reconciliation', 'quality', 'vessel', 'audit', 'time'] as const;

/** The modules that render the panels' answers. */
const views = globSync(own('dashboard/views/*.js'))
  .map((file) => basename(file))
  .sort();

/** The modules the page imports, by the name under which each is served. */
const modules = {
  'preact.js': packaged('htm', 'preact/standalone.module.js'),
  'answer.js': own('dashboard/answer.js'),
  'api.js': own('dashboard/api.js'),
  'chart.js': own('dashboard/chart.js'),
  'file-button.js': own('dashboard/file-button.js'),
  'filters.js': own('dashboard/filters.js'),
  'find.js': own('dashboard/find.js'),
  'job.js': own('dashboard/job.js'),
  'live.js': own('dashboard/live.js'),
  'page.js': own('dashboard/page.js'),
  'panel.js': own('dashboard/panel.js'),
  'paper.js': own('dashboard/paper.js'),
  ...Object.fromEntries(views.map((name) => [`views/${name}`, own(`dashboard/views/${name}`)])),
};

const page = createPage('/dashboard', 'dashboard/index.html', {
  'echarts.js': packaged('echarts', 'dist/echarts.common.min.js'),
  'graphql-sse.js': packaged('graphql-sse', 'umd/graphql-sse.min.js'),
  ...modules,
  'page.css': own('dashboard/page.css'),
});

/** The operations that the dashboard sends, by file name. */
const dashboardOperations: ReadonlyMap<string, string> = new Map(
  globSync(own('dashboard/operations/*.graphql'))
    .sort()
    .map((file) => [basename(file, '.graphql'), readFileSync(file, 'utf8')]),
);

/** Serves the page at /dashboard, which has everything that it shows from /graphql (contract §16). */
export function dashboard(parts: PageParts): Router {
  const operations = [...dashboardOperations].map(
    ([name, text]) =>
      `<template class="operation" data-name="${name}" data-hash="${hashOf(text)}">${escapeHtml(text)}</template>`,
  );
  const html = page.html(parts, {
    operations: operations.join('\n'),
    panels: PANELS.join(' '),
    modules: Object.keys(modules)
      .map((name) => preload(parts.basePath + page.base, name))
      .join('\n'),
  });
  const router = Router();
  router.get('/dashboard', (_request, response) => sendPage(response, html));
  router.use(page.files);
  return router;
}

/** Preloads a module, so that all are fetched at once instead of one import level after another. */
const preload = (base: string, name: string): string => `<link rel="modulepreload" href="${escapeHtml(base)}/${name}">`;
