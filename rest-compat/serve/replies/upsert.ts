import { etag } from '../../../src/http/etag.ts';
import { JSON_TYPE } from '../../../src/http/media-type.ts';
import type { Outcome } from '../../declare/reply.ts';
import { compileView, type Fields, type Node } from '../../declare/view.ts';
import type { Exchange } from '../exchange.ts';

/** Compiles how the outcome of a request is sent that may find what it would have made: 201 or 200. */
export function outcomeSender({ view, entity, created }: Outcome, type: Fields) {
  const write = compileView(view, type);
  return (exchange: Exchange, outcome: Node): void => {
    const node = outcome[entity] as Node;
    const isNew = outcome[created] === true;
    const headers = ['Content-Type', JSON_TYPE, 'ETag', etag(node.versionId)];
    if (isNew) headers.push('Location', exchange.path);
    exchange.send(isNew ? 201 : 200, headers, write(node));
  };
}
