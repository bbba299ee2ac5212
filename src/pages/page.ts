import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Response, Router } from 'express';
import { PAGE_POLICY } from './content-policy.ts';
import { pageFiles } from './page-files.ts';

/** An API key that a page offers, and its owner. */
export interface OfferedKey {
  readonly key: string;
  readonly label: string;
}

/** What all pages of a service have in common. */
export interface PageParts {
  /** The path of BASE_URL, without a trailing slash. */
  readonly basePath: string;
  /** The demo's keys, the first of which is filled in; none in production. */
  readonly keys: readonly OfferedKey[];
}

/** A page for people: its HTML and the files that it needs, none of them from another host. */
interface Page {
  /** The address of its files, below the path of BASE_URL. */
  readonly base: string;
  /** Serves the files at `<address>/<version>/<name>`, which browsers may cache for ever. */
  readonly files: Router;
  /** The HTML, with the values of the page's placeholders. */
  html(parts: PageParts, values: Readonly<Record<string, string>>): string;
}

const web = fileURLToPath(new URL('../../web/', import.meta.url));

/** The path of one of our files, below web/. */
export const own = (path: string): string => join(web, path);

/** The path of a package's browser build: the copy that a build has (`scripts/build.mjs`), or else the installed file. */
export function packaged(name: string, path: string): string {
  const copy = own(join('vendor', name, path));
  if (existsSync(copy)) return copy;
  return join(dirname(findPackageJSON(name, import.meta.url) ?? ''), path);
}

/** The bar at the top of every page, for the API key and for signing in. */
const BAR = {
  'credential.js': own('credential/credential.js'),
  'session.js': own('credential/session.js'),
  'credential.css': own('credential/credential.css'),
};

/** Creates a page whose files are served below `address` under the given names. */
export function createPage(address: string, template: string, named: Readonly<Record<string, string>>): Page {
  const files = { ...named, ...BAR };
  const version = Object.values(files)
    .reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256'))
    .digest('hex')
    .slice(0, 12);
  const base = `${address}/${version}`;
  const text = readFileSync(own(template), 'utf8');
  const bar = readFileSync(own('credential/bar.html'), 'utf8');
  return {
    base,
    files: pageFiles(base, files),
    html: ({ basePath, keys }, values) =>
      filled(text, {
        base: escapeHtml(basePath),
        assets: escapeHtml(basePath + base),
        ...values,
        bar: filled(bar, { ...barValues(keys), choice: values.choice ?? '' }),
      }),
  };
}

const barValues = (keys: readonly OfferedKey[]) => ({
  key: escapeHtml(keys[0]?.key ?? ''),
  callers: keys.map(({ key, label }) => option(key, label)).join(''),
});

const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');

/** The HTML of an option of a select. */
export const option = (value: string, label: string): string =>
  `<option value="${escapeHtml(value)}">${escapeHtml(label)}</option>`;

/** Escapes text for HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Sends a page that may load resources only from this origin and must not be framed. */
export function sendPage(response: Response, html: string): void {
  response.set({
    'Content-Security-Policy': PAGE_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin', // "no-referrer" would turn the Origin of forms into "null"
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    'Cache-Control': 'no-cache',
  });
  response.type('html').send(html);
}
