import { JSON_TYPE } from '../../../src/http/media-type.ts';
import type { Report } from '../../declare/reply.ts';
import { compileView, type Fields, type Node } from '../../declare/view.ts';
import type { Exchange } from '../exchange.ts';

const HEADERS = ['Content-Type', JSON_TYPE, 'Cache-Control', 'no-store'];

/** Compiles how a report is sent; an operation that fails is a part of the report, and never an error of its own. */
export function reportSender({ view, good, failed }: Report, type: Fields) {
  const write = compileView(view, type);
  return async (exchange: Exchange, ask: () => Promise<Node>): Promise<void> => {
    const node = await ask().catch((err: unknown) => {
      exchange.log.error({ err, requestId: exchange.requestId }, 'the report failed');
      return failed;
    });
    exchange.send(node[good] === true ? 200 : 503, HEADERS, write(node));
  };
}
