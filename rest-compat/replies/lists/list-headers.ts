import type { Answers } from '../../declare/openapi-parts.ts';
import type { Exchange } from '../../exchange.ts';
import { headers as described } from '../../openapi/headers.ts';
import { viewSchema } from '../../openapi/schemas.ts';
import type { DescriptionContext, Written } from '../reply-kind.ts';

/** What the headers of a list are made of. */
export interface ListPosition {
  readonly headers: readonly string[];
  readonly basePath: string;
  /** The number of items of the whole list, if it was asked for. */
  readonly total: number | undefined;
  /** Where the next page starts; undefined where nothing follows. */
  readonly next: NextPage | undefined;
}

/** The query parameters that lead to a page. */
export type NextPage = { readonly cursor: string } | { readonly offset: number } | { readonly after: string };

/** The headers of a list: where the next page is (RFC 8288), and how many items there are (contract §13). */
export function listHeaders(exchange: Exchange, { headers, basePath, total, next }: ListPosition): readonly string[] {
  if (total === undefined && next === undefined) return headers;
  const sent = [...headers];
  if (next) sent.push('Link', `<${basePath}${addressOf(exchange, next)}>; rel="next"`);
  if (total !== undefined) sent.push('X-Total-Count', String(total), 'Preference-Applied', 'count=exact');
  return sent;
}

/** The response with those headers, for OpenAPI. */
export const listAnswers = ({ view, body }: Written, { typeOf }: DescriptionContext): Answers => ({
  200: {
    description: 'Success.',
    headers: described('X-Request-Id', 'Link', 'X-Total-Count', 'Preference-Applied'),
    content: { 'application/json': { schema: { type: 'array', items: viewSchema(view, typeOf('nodes'), body) } } },
  },
});

/** A cursor counts from the page before; an offset from the cursor, if there is one. */
function addressOf({ path, queryText }: Exchange, next: NextPage): string {
  const query = new URLSearchParams(queryText);
  query.delete('offset');
  for (const [name, value] of Object.entries(next)) query.set(name, String(value));
  return `${path}?${query}`;
}
