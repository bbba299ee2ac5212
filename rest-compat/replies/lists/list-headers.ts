import type { Answers } from '../../declare/openapi-parts.ts';
import type { Exchange } from '../../exchange.ts';
import { headers as described } from '../../openapi/headers.ts';
import { viewSchema } from '../../openapi/schemas.ts';
import type { DescriptionContext, Written } from '../reply-kind.ts';

/** The data for the headers of a list. */
export interface ListPosition {
  readonly headers: readonly string[];
  readonly basePath: string;
  /** The number of items in the whole list, if the client asked for it. */
  readonly total: number | undefined;
  /** Where the next page starts; undefined after the last page. */
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

/** The response with these headers, for OpenAPI. */
export const listAnswers = ({ view, body }: Written, { typeOf }: DescriptionContext): Answers => ({
  200: {
    description: 'Success.',
    headers: described('X-Request-Id', 'Link', 'X-Total-Count', 'Preference-Applied'),
    content: { 'application/json': { schema: { type: 'array', items: viewSchema(view, typeOf('nodes'), body) } } },
  },
});

/** The address of a page. A cursor is relative to the previous page; an offset to the cursor, if any. */
function addressOf({ path, queryText }: Exchange, next: NextPage): string {
  const query = new URLSearchParams(queryText);
  query.delete('offset');
  for (const [name, value] of Object.entries(next)) query.set(name, String(value));
  return `${path}?${query}`;
}
