import type { ServerResponse } from 'node:http';

/** Default headers of every answer, which its own headers replace. */
export type StandingHeaders = readonly (readonly [name: string, value: string])[];

/** Tells browsers to keep to https for a year, on all subdomains. */
const STRICT = 'max-age=31536000; includeSubDomains';

/** A response opened as a page loads and runs nothing, and cannot be framed. */
const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The default headers of every response: no content sniffing, no caching, nothing that runs. */
export const standingHeaders = ({ baseUrl }: { readonly baseUrl: string }): StandingHeaders => [
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', NOTHING],
  ['Cache-Control', 'no-store'],
  ['Vary', 'Accept-Encoding'],
  ...(baseUrl.startsWith('https:') ? ([['Strict-Transport-Security', STRICT]] as const) : []),
];

/** The standing headers that an answer's own do not replace, both as alternating names and values. */
export function standingBeside(own: readonly string[], headers: StandingHeaders): string[] {
  const beside: string[] = [];
  for (const [name, value] of headers) if (!own.includes(name)) beside.push(name, value);
  return beside;
}

/** Sets the standing headers of a response, before any others. */
export function putStandingHeaders(response: ServerResponse, headers: StandingHeaders): void {
  for (const [name, value] of headers) response.setHeader(name, value);
}
