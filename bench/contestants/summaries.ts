import { completenessOf } from '../../src/domain/analysis/completeness.ts';
import { summarizeQuality } from '../../src/domain/analysis/quality-summary.ts';
import { reconcile } from '../../src/domain/analysis/reconciliation/quantity-reconciliation.ts';
import { summarizeTime } from '../../src/domain/analysis/time-summary.ts';
import { toleranceOf } from '../../src/domain/analysis/tolerance.ts';
import { LOAD_PORT_INFORMATION_TYPE } from '../../src/model/document-types/load-port-information.ts';
import { QUALITY_RESULT_TYPE } from '../../src/model/document-types/quality-result.ts';
import { QUANTITY_RESULT_TYPE } from '../../src/model/document-types/quantity-result.ts';
import { TIMELOG_TYPE } from '../../src/model/document-types/timelog.ts';
import type { StoredDocument } from '../../src/model/entity/entity.ts';
import type { Jobs, ReportedJob } from './jobs.ts';

/** The parts of bodies that the answer uses. */
interface Body {
  readonly [name: string]: unknown;
  readonly measurements?: readonly { code: string; name: string; value: number; uom: string }[];
}

/** What the answer needs besides the jobs: records by their ids, and links by the ids of their records. */
interface Lookups {
  readonly name: (id: unknown) => { readonly name: string } | null;
  readonly spellings: (id: string) => string[];
  readonly linked: (id: string) => readonly string[];
}

/** The answer by hand: one aggregation for jobs and results, one query for their records, one for their synonyms. */
export async function summariesOf(jobs: Jobs, tenant: string, workspace: string): Promise<object[]> {
  const found = await jobs.newestReported(tenant, workspace);
  const refs = [...new Set(found.flatMap(({ results }) => results.flatMap((result) => result.refs)))];
  const [records, links] = await Promise.all([
    jobs.records(tenant, refs, { 'body.name': 1, 'body.xref': 1 }),
    jobs.links(tenant, workspace, refs),
  ]);
  const byId = new Map(records.map(({ _id, body }) => [_id, body as { name: string; xref?: string }]));
  const lookups: Lookups = {
    name: (id) => {
      const record = byId.get(String(id));
      return record ? { name: record.name } : null;
    },
    spellings: (id) => [byId.get(id)?.name, byId.get(id)?.xref].filter((text) => text !== undefined),
    linked: (id) => links.flatMap(({ items }) => (items.includes(id) ? items.filter((one) => one !== id) : [])),
  };
  return found.map((job) => nodeOf(job, lookups));
}

function nodeOf({ _id, body, results }: ReportedJob, lookups: Lookups): object {
  const { name, linked } = lookups;
  const group = (id: unknown) => [String(id), ...linked(String(id))].sort()[0];
  const of = (type: string) => results.filter((result) => result.type === type);
  const [quality, quantity, timeLog, loadPorts] = [
    of(QUALITY_RESULT_TYPE).map((result) => qualityFact(result, group)),
    of(QUANTITY_RESULT_TYPE).map((result) => measured(result, lookups)),
    of(TIMELOG_TYPE).map(({ body: event }) => ({ ...eventOf(event), type: group(event.type) })),
    of(LOAD_PORT_INFORMATION_TYPE).map((result) => measured(result, lookups)),
  ];
  const activity = String(body.activity);
  const requested = body.requested as { quality: unknown; quantity: unknown; timelog: unknown };
  const count = ({ direction, measurements }: ReturnType<typeof measured>) => ({
    direction,
    measurements: measurements.length,
  });
  const { isComplete, missing } = completenessOf({
    ...{ activity, requested, quality, timeLog: timeLog.length },
    ...{ quantity: quantity.map(count), loadPortInformation: loadPorts.map(count) },
  });
  const side = (wanted: string) => quantity.find(({ direction }) => direction === wanted)?.measurements;
  const { transfer, outturn } = reconcile(
    {
      ...{ activity, source: side('source'), destination: side('destination') },
      loadPorts: loadPorts.map(({ measurements }) => measurements),
    },
    toleranceOf(undefined, []),
  );
  const { timeAtPort, delay, gaps } = summarizeTime(timeLog);
  const { isOnSpecification, pendingRetests, latest } = summarizeQuality(quality);
  return {
    id: _id,
    refNumber: body.refNumber ?? null,
    qualityResults: of(QUALITY_RESULT_TYPE)
      .slice(0, 25)
      .map(({ body: { result, isOffSpec, test, uom } }) => ({
        ...{ result: result ?? null, isOffSpec: isOffSpec ?? null, uom: name(uom) },
        test: { ...name(test), synonyms: linked(String(test)).map(name) },
      })),
    quantityResults: of(QUANTITY_RESULT_TYPE).map(({ body: { direction, measurements } }) => ({
      direction,
      measurements: (measurements as Body['measurements'] & object).map(({ code, value, uom }) => ({
        ...{ code, value, uom: name(uom) },
      })),
    })),
    timeLog: of(TIMELOG_TYPE)
      .slice(0, 25)
      .map(({ body: { category, start, end, type } }) => ({
        ...{ category, start, end: end ?? null, eventType: name(type) },
      })),
    loadPortInformation: of(LOAD_PORT_INFORMATION_TYPE).map(({ body: { portOfLoading } }) => ({
      portOfLoading: name(portOfLoading),
    })),
    completeness: { isComplete, missing },
    quantityReconciliation: {
      transfer: transfer.map(({ code, difference, percent, isWithinTolerance }) => ({
        ...{ code, difference, percent, isWithinTolerance },
      })),
      outturn: outturn.map(({ code, percent }) => ({ code, percent })),
    },
    timeSummary: { timeAtPort, delay, gaps: gaps.map(({ hours }) => ({ hours })) },
    qualitySummary: {
      ...{ isOnSpecification, pendingRetests },
      latest: latest.map(({ verdict, earlier }) => ({ verdict, earlier })),
    },
  };
}

function qualityFact({ body, created_at }: StoredDocument, group: (id: unknown) => string | undefined) {
  const { date, setNumber, testNumber, status, isOffSpec, isPassed, isRetestNeeded, isPerformed } = body;
  return {
    ...{ date, setNumber, testNumber, status, isOffSpec, isPassed, isRetestNeeded, isPerformed },
    test: group(body.test),
    location: (body.sample as { location?: string } | undefined)?.location,
    createdAt: created_at,
  };
}

const eventOf = ({ category, start, end }: StoredDocument['body']) => ({ category, start, end });

function measured({ body }: StoredDocument, { spellings }: Lookups) {
  const { direction, measurements = [] } = body as Body;
  return {
    direction,
    measurements: measurements.map(({ code, name, value, uom }) => ({
      ...{ code, name, value, unit: { id: uom, spellings: spellings(uom) } },
    })),
  };
}
