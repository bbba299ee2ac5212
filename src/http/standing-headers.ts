import type { ServerResponse } from 'node:http';

/** Headers of every answer; one that says otherwise itself replaces them. */
export type StandingHeaders = readonly (readonly [name: string, value: string])[];

/** A year, for all subdomains, as browsers are advised to keep to https. */
const STRICT = 'max-age=31536000; includeSubDomains';

/** A response that is opened as a page loads and runs nothing, and is framed by nobody. */
const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The headers of every response that sets no others: no content sniffing, no caching, nothing that runs. */
export const standingHeaders = ({ baseUrl }: { readonly baseUrl: string }): StandingHeaders => [
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', NOTHING],
  ['Cache-Control', 'no-store'],
  ['Vary', 'Accept-Encoding'],
  ...(baseUrl.startsWith('https:') ? ([['Strict-Transport-Security', STRICT]] as const) : []),
];

/** The standing headers that an answer does not replace by its own, both as names and values in turn. */
export function standingBeside(own: readonly string[], headers: StandingHeaders): string[] {
  const beside: string[] = [];
  for (const [name, value] of headers) if (!own.includes(name)) beside.push(name, value);
  return beside;
}

/** Gives an answer its standing headers, before anything else does. */
export function putStandingHeaders(response: ServerResponse, headers: StandingHeaders): void {
  for (const [name, value] of headers) response.setHeader(name, value);
}
