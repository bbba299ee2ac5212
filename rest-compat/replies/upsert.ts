import { etag } from '../../src/http/etag.ts';
import type { Node, View } from '../declare/view.ts';
import { headers } from '../openapi/headers.ts';
import { viewSchema } from '../openapi/schemas.ts';
import { compileView } from './json-view.ts';
import { jsonHeaders, type ReplyKind, sendingNode } from './reply-kind.ts';

/** The outcome of a request that creates an entity unless it exists. */
export interface UpsertReply {
  readonly kind: 'upsert';
  readonly view: View;
  readonly body?: string;
  /** The field with the entity. */
  readonly entity: string;
  /** The boolean field that is true if it was created. */
  readonly created: string;
  /** The path has no GET, but the path of its collection does. */
  readonly readInCollection?: boolean;
}

/** The entity with its ETag: 201 with its Location if it was created, otherwise 200. */
export const upsert = (parts: Omit<UpsertReply, 'kind'>): UpsertReply => ({ kind: 'upsert', ...parts });

export const upsertKind: ReplyKind<UpsertReply> = {
  compile({ view, entity, created, readInCollection = false }, context) {
    const write = compileView(view, context.typeOf(entity));
    return sendingNode(context, (exchange, outcome) => {
      const node = outcome[entity] as Node;
      const isNew = outcome[created] === true;
      const sent = [...jsonHeaders('POST'), 'ETag', etag(node.versionId)];
      const { path } = exchange;
      const place = readInCollection ? path.slice(0, path.lastIndexOf('/')) : path;
      if (isNew) sent.push('Location', context.basePath + place);
      exchange.send(isNew ? 201 : 200, sent, write(node));
    });
  },
  answers({ view, body, entity }, { typeOf }) {
    const type = typeOf(entity);
    const always = headers('X-Request-Id', ...('versionId' in type.getFields() ? (['ETag'] as const) : []));
    const content = { 'application/json': { schema: viewSchema(view, type, body) } };
    return {
      201: { description: 'Created.', headers: { ...always, ...headers('Location') }, content },
      200: { description: 'It already existed.', headers: always, content },
    };
  },
};
