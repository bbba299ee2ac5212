import { wantsEventStream } from '../../src/http/media-type.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
import type { Node, ViewObject } from '../declare/view.ts';
import type { Exchange } from '../exchange.ts';
import { headers } from '../openapi/headers.ts';
import { viewSchema } from '../openapi/schemas.ts';
import { compileView } from './json-view.ts';
import { READ_HEADERS, type ReplyKind, requestHeader } from './reply-kind.ts';
import { streamFeed } from './streaming/feed-stream.ts';

/** A page of the change feed, or the feed as Server-Sent Events; the operation has the variables `after` and `wait`. */
export interface FeedReply {
  readonly kind: 'feed';
  readonly view: ViewObject;
  /** The views of changes to other types. */
  readonly views: Readonly<Record<string, ViewObject>>;
}

/** The change feed; the operation selects `changes` and `next`: 200. */
export const feed = (view: ViewObject, views: FeedReply['views']): FeedReply => ({ kind: 'feed', view, views });

export const feedKind: ReplyKind<FeedReply> = {
  compile({ view, views }, { typeOf, run, read, recheck }) {
    const type = typeOf('changes');
    const plain = compileView(view, type);
    const others = new Map(Object.entries(views).map(([name, other]) => [name, compileView(other, type)]));
    const write = (node: Node): string => (others.get(String(node.type)) ?? plain)(node);
    const page = async (exchange: Exchange, window: object) => {
      const node = read(exchange, await run(exchange, { ...exchange.binding.variables, ...window }));
      return { changes: node.changes as readonly Node[], next: String(node.next) };
    };
    return async (exchange) => {
      exchange.isStream = wantsEventStream(exchange.request) || Number(exchange.binding.variables.wait) > 0;
      if (wantsEventStream(exchange.request)) return streamFeed(exchange, { page, write, recheck });
      const began = performance.now();
      const { changes, next } = await page(exchange, {});
      await recheck(exchange, began);
      exchange.send(200, READ_HEADERS, `{"changes":[${changes.map(write).join(',')}],"next":${JSON.stringify(next)}}`);
    };
  },
  answers({ view, views }, { typeOf }) {
    const type = typeOf('changes');
    const properties = [view, ...Object.values(views)].map((one) => viewSchema(one, type, undefined).properties);
    const change = { ...viewSchema(view, type, undefined), properties: Object.assign({}, ...properties) as JsonSchema };
    const schema = {
      type: 'object',
      required: ['changes', 'next'],
      properties: {
        changes: { type: 'array', items: change },
        next: {
          type: 'string',
          description: 'The id to continue from, as after; also present if there were no changes.',
        },
      },
    };
    const stream = { type: 'string', description: 'Server-Sent Events: each has an id, and one change as its data.' };
    return {
      200: {
        description: 'Success.',
        headers: headers('X-Request-Id'),
        content: { 'application/json': { schema }, 'text/event-stream': { schema: stream } },
      },
    };
  },
  requestHeaders: () => [
    requestHeader('Last-Event-ID', 'For Server-Sent Events: the id of the last event received, in place of after.'),
  ],
};
