import type { ServerResponse } from 'node:http';

/** Headers of every answer; one that says otherwise itself replaces them. */
export type StandingHeaders = readonly (readonly [name: string, value: string])[];

/** A year, as browsers are advised to keep to https. */
const STRICT = 'max-age=31536000';

/** The headers of every response that sets no others: no content sniffing, no caching. */
export const standingHeaders = ({ baseUrl }: { readonly baseUrl: string }): StandingHeaders => [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
  ['Vary', 'Accept-Encoding'],
  ...(baseUrl.startsWith('https:') ? ([['Strict-Transport-Security', STRICT]] as const) : []),
];

/** Gives an answer its standing headers, before anything else does. */
export function putStandingHeaders(response: ServerResponse, headers: StandingHeaders): void {
  for (const [name, value] of headers) response.setHeader(name, value);
}
