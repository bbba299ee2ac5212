import { etag, noneMatchHit } from '../../src/http/etag.ts';
import type { Fields, Node, View } from '../declare/view.ts';
import type { Exchange } from '../exchange.ts';
import { type HeaderName, headers } from '../openapi/headers.ts';
import { viewSchema } from '../openapi/schemas.ts';
import { type CookieFields, cookieOf } from './cookie.ts';
import { compileView } from './json-view.ts';
import {
  checkMatch,
  IF_MATCH,
  IF_NONE_MATCH,
  jsonHeaders,
  READ_HEADERS,
  type ReplyKind,
  sendingNode,
  type Written,
} from './reply-kind.ts';

/** One entity, with an ETag if it has versions. */
export interface EntityReply extends Written {
  readonly kind: 'entity';
  readonly status: 200 | 201 | 202;
  /** The created entity has its own path, below the request path. */
  readonly located?: boolean;
  readonly cookie?: CookieFields;
  /** Headers, each with the field that holds its value; omitted where the field is null. */
  readonly headersFrom?: Readonly<Partial<Record<HeaderName, string>>>;
}

/** One entity with its ETag: 200. */
export const one = (view: View, body?: string): EntityReply => ({ kind: 'entity', status: 200, view, body });

/** Work that has started and finishes soon: 202. */
export const accepted = (view: View): EntityReply => ({ kind: 'entity', status: 202, view, body: undefined });

/** The created entity, with ETag and Location: 201. */
export const created = (view: View, body?: string): EntityReply => ({
  kind: 'entity',
  status: 201,
  view,
  body,
  located: true,
});

/** The created entity in an API without a path for single entities: 201 with its ETag. */
export const createdWithoutLocation = (
  view: View,
  body?: string,
  headersFrom?: EntityReply['headersFrom'],
): EntityReply => ({
  kind: 'entity',
  status: 201,
  view,
  body,
  ...(headersFrom && { headersFrom }),
});

/** The created entity, and a cookie derived from it: 201. */
export const createdWithCookie = (view: View, cookie: CookieFields): EntityReply => ({
  kind: 'entity',
  status: 201,
  view,
  body: undefined,
  cookie,
});

export const entityKind: ReplyKind<EntityReply> = {
  compile(reply, context) {
    const type = context.typeOf();
    if (context.method === 'GET') return sendingNode(context, readSender(reply, type));
    const write = compileView(reply.view, type);
    const { status, located, cookie, headersFrom = {} } = reply;
    const fromFields = Object.entries(headersFrom);
    const tagged = hasVersions(type);
    return sendingNode(context, (exchange, node) => {
      const sent = tagged ? [...jsonHeaders('POST'), 'ETag', etag(node.versionId)] : [...jsonHeaders('POST')];
      if (cookie) sent.push(...cookieOf(cookie, node, context.cookieManner(exchange.request)));
      if (located && typeof node.id === 'string')
        sent.push('Location', `${context.basePath}${exchange.path}/${node.id}`);
      for (const [header, field] of fromFields) {
        if (typeof node[field] === 'string') sent.push(header, node[field]);
      }
      exchange.send(status, sent, write(node));
    });
  },
  answers({ view, body, status, located, cookie, headersFrom = {} }, { method, typeOf }) {
    const type = typeOf();
    const tagged = hasVersions(type);
    const always = headers('X-Request-Id', ...(tagged ? (['ETag'] as const) : []));
    return {
      [status]: {
        description: status === 201 ? 'Created.' : 'Success.',
        headers: {
          ...always,
          ...(located && headers('Location')),
          ...(cookie && headers('Set-Cookie')),
          ...headers(...(Object.keys(headersFrom) as HeaderName[])),
        },
        content: { 'application/json': { schema: viewSchema(view, type, body) } },
      },
      ...(method === 'GET' &&
        tagged && { 304: { description: 'The client has the current version.', headers: always } }),
    };
  },
  requestHeaders: ({ method, typeOf }) => (method === 'GET' && hasVersions(typeOf()) ? [IF_MATCH, IF_NONE_MATCH] : []),
};

/** Whether entities of a type have an ETag, and support preconditions on it. */
const hasVersions = (type: Fields): boolean => 'versionId' in type.getFields();

/** Sends an entity that was read, or 304 if the client has its current version. */
function readSender({ view, status }: EntityReply, type: Fields) {
  const write = compileView(view, type);
  const tagged = hasVersions(type);
  return (exchange: Exchange, node: Node): void => {
    const tag = etag(node.versionId);
    if (tagged) checkMatch(exchange, String(node.versionId));
    const asked = exchange.headers['if-none-match'];
    const known = tagged && asked !== undefined ? noneMatchHit(asked, String(node.versionId)) : undefined;
    if (!tagged) exchange.send(status, READ_HEADERS, write(node));
    else if (known !== undefined) exchange.send(304, ['ETag', known, 'Cache-Control', 'private, no-cache']);
    else exchange.send(status, [...READ_HEADERS, 'ETag', tag], write(node));
  };
}
