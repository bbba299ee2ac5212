import { JSON_TYPE } from '../../src/http/media-type.ts';
import type { Node, View } from '../declare/view.ts';
import type { Exchange } from '../exchange.ts';
import { headers } from '../openapi/headers.ts';
import { viewSchema } from '../openapi/schemas.ts';
import { compileView } from './json-view.ts';
import type { ReplyKind } from './reply-kind.ts';

/** A report on the service itself, which is returned even if something is wrong. */
export interface ReportReply {
  readonly kind: 'report';
  readonly view: View;
  /** The boolean field that is true if all is well. */
  readonly good: string;
  /** The report if the operation itself fails. */
  readonly failed: Node;
}

/** An uncached report: 200 if all is well, otherwise 503 in the same form. */
export const report = (parts: Omit<ReportReply, 'kind'>): ReportReply => ({ kind: 'report', ...parts });

const HEADERS = ['Content-Type', JSON_TYPE, 'Cache-Control', 'no-store'];

/** A failed operation is part of the report, never an error response. */
export const reportKind: ReplyKind<ReportReply> = {
  compile({ view, good, failed }, { typeOf, run, read }) {
    const write = compileView(view, typeOf());
    const ask = async (exchange: Exchange): Promise<Node> =>
      read(exchange, await run(exchange, exchange.binding.variables));
    return async (exchange) => {
      const node = await ask(exchange).catch((err: unknown) => {
        exchange.log.error({ err, requestId: exchange.requestId }, 'the report failed');
        return failed;
      });
      exchange.send(node[good] === true ? 200 : 503, HEADERS, write(node));
    };
  },
  answers({ view }, { typeOf }) {
    const content = { 'application/json': { schema: viewSchema(view, typeOf(), undefined) } };
    return {
      200: { description: 'Healthy.', headers: headers('X-Request-Id'), content },
      503: { description: 'Not healthy; the report has the details.', headers: headers('X-Request-Id'), content },
    };
  },
};
