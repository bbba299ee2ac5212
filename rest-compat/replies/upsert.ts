import { etag } from '../../src/http/etag.ts';
import type { Node, View } from '../declare/view.ts';
import { headers } from '../openapi/headers.ts';
import { viewSchema } from '../openapi/schemas.ts';
import { compileView } from './json-view.ts';
import { jsonHeaders, type ReplyKind, sendingNode } from './reply-kind.ts';

/** The outcome of a request that makes an entity unless it is there already. */
export interface UpsertReply {
  readonly kind: 'upsert';
  readonly view: View;
  readonly body?: string;
  /** The field that holds the entity. */
  readonly entity: string;
  /** The boolean field that says whether it is new. */
  readonly created: string;
}

/** The entity with its ETag, and 201 with the path as its Location when it is new, else 200. */
export const upsert = (parts: Omit<UpsertReply, 'kind'>): UpsertReply => ({ kind: 'upsert', ...parts });

export const upsertKind: ReplyKind<UpsertReply> = {
  compile({ view, entity, created }, context) {
    const write = compileView(view, context.typeOf(entity));
    return sendingNode(context, (exchange, outcome) => {
      const node = outcome[entity] as Node;
      const isNew = outcome[created] === true;
      const sent = [...jsonHeaders('POST'), 'ETag', etag(node.versionId)];
      if (isNew) sent.push('Location', exchange.path);
      exchange.send(isNew ? 201 : 200, sent, write(node));
    });
  },
  answers({ view, body, entity }, { typeOf }) {
    const type = typeOf(entity);
    const always = headers('X-Request-Id', ...('versionId' in type.getFields() ? (['ETag'] as const) : []));
    const content = { 'application/json': { schema: viewSchema(view, type, body) } };
    return {
      201: { description: 'Created.', headers: { ...always, ...headers('Location') }, content },
      200: { description: 'It was there already.', headers: always, content },
    };
  },
};
