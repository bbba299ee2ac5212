import { LOAD_PORT_INFORMATION_TYPE } from '../model/document-types/load-port-information.ts';
import { QUALITY_RESULT_TYPE } from '../model/document-types/quality-result.ts';
import { QUANTITY_RESULT_TYPE } from '../model/document-types/quantity-result.ts';
import { TIMELOG_TYPE } from '../model/document-types/timelog.ts';
import { isObject, type JsonObject, valueAt } from '../model/json.ts';
import type { PortCall } from './port-call.ts';
import { qualityBodies } from './quality-results.ts';
import { loadPortBody, quantityBodies } from './quantity-results.ts';
import type { Random } from './random.ts';
import { timeLogBodies } from './time-log.ts';
import type { TradeJob, TradeResult } from './trade-items.ts';
import { PRODUCTS, type Product, REGIONS, type Region } from './trade-words.ts';

const HOUR = 60 * 60 * 1000;

/** The results, up to `today`, of the newest `count` jobs that have begun; some are still missing. */
export function resultsOf(
  chance: Random,
  jobs: readonly TradeJob[],
  { count, today }: { readonly count: number; readonly today: Date },
): TradeResult[] {
  const begun = jobs.flatMap(({ body }, job) => (['complete', 'active'].includes(String(body.status)) ? [job] : []));
  return begun.slice(Math.max(0, begun.length - count)).flatMap((job) => {
    const call = callOf(chance, jobs[job] as TradeJob);
    return reported(chance, call)
      .filter(({ createdAt }) => createdAt <= today)
      .map((result) => ({ job, ...result }));
  });
}

function callOf(chance: Random, { body, workspace }: TradeJob): PortCall {
  const xref = valueAt(body, ['cargo', 'product', 'xref']);
  const etc = new Date(String(body.etc)).getTime();
  return {
    body,
    product: PRODUCTS.find((product) => product.xref === xref) as Product,
    region: REGIONS[workspace] as Region,
    arrival: new Date(String(body.eta)),
    end: new Date(etc + chance.whole(-6 * 4, 3 * 4) * (HOUR / 4)),
  };
}

function reported(chance: Random, call: PortCall): Omit<TradeResult, 'job'>[] {
  const { requested } = call.body;
  const wants = (kind: string): boolean => isObject(requested) && requested[kind] === true;
  const after = (hours: number): Date => new Date(call.end.getTime() + hours * HOUR);
  const papers = after(chance.whole(2, 30));
  const laboratory = after(chance.whole(6, 60));
  const results: Omit<TradeResult, 'job'>[] = [];
  const add = (type: string, createdAt: Date, bodies: readonly JsonObject[]): void => {
    for (const body of bodies) results.push({ type, createdAt, body });
  };
  if (wants('timelog')) {
    for (const body of timeLogBodies(chance, call)) add(TIMELOG_TYPE, new Date(String(body.end ?? body.start)), [body]);
  }
  if (wants('quantity')) {
    const quantities = quantityBodies(chance, call);
    add(QUANTITY_RESULT_TYPE, papers, quantities);
    if (call.body.activity === 'discharge') {
      add(LOAD_PORT_INFORMATION_TYPE, papers, [loadPortBody(chance, call, quantities)]);
    }
  }
  if (wants('quality')) add(QUALITY_RESULT_TYPE, laboratory, qualityBodies(chance, call));
  return results;
}
