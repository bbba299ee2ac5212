import { createHash } from 'node:crypto';
import { shortened } from '../../errors.ts';
import { LOAD_PORT_INFORMATION_TYPE } from '../../model/document-types/load-port-information.ts';
import { QUALITY_RESULT_TYPE } from '../../model/document-types/quality-result.ts';
import { QUANTITY_RESULT_TYPE } from '../../model/document-types/quantity-result.ts';
import { TIMELOG_TYPE } from '../../model/document-types/timelog.ts';
import { isObject, type Json, valueAt } from '../../model/json.ts';
import { type Amount, amountOf, isSummable } from './amount.ts';

/** The types of documents below a job that its figures depend on. */
export const COUNTED_TYPES = [
  LOAD_PORT_INFORMATION_TYPE,
  QUALITY_RESULT_TYPE,
  QUANTITY_RESULT_TYPE,
  TIMELOG_TYPE,
] as const;

/** The part of a document that statistics use. */
export interface CountedDocument {
  readonly _id: string;
  readonly type: string;
  readonly created_at: Date;
  readonly keys?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, Json>>;
}

/** The part of a document below a job that statistics use, with the figures that cargoes are compared by. */
export interface CountedReport extends CountedDocument {
  figures?: ReadonlyMap<string, Figure>;
}

/**
 * A job's contribution to one figure. Facets and their keys: `state` [status, activity]; `completion` (x on time, y late, z with
 * a delay, a the delays in milliseconds); `delay` by hour; `product` and `vendor` by record (n results, x judged, y off
 * specification); `discharge` by what is missing; `loss …` by measurement [from, to, unit loaded, unit of the outturn] (a
 * loaded, b outturn), or without a key if the outturn is missing.
 */
export interface Cell {
  readonly facet: string;
  readonly key: string;
  readonly n: number;
  readonly x?: number;
  readonly y?: number;
  readonly z?: number;
  readonly a?: Amount;
  readonly b?: Amount;
}

/** A job's contribution to statistics. */
interface CountedJob {
  readonly cells: readonly Cell[];
  /** The time from its end to the last report, in milliseconds; only for complete jobs. */
  readonly delay: number | undefined;
}

/** Why a discharge belongs to no route; empty if it does. */
export const DISCHARGE = { good: '', noLoadPort: 'no load port', loadPorts: 'load ports', noOutturn: 'no outturn' };

export const HOUR_MS = 3_600_000;

/** How many measurements of a report are counted. */
export const MEASUREMENTS = 25;
/** A status or an activity becomes part of index keys, and may be any text. */
export const LONGEST_TEXT = 100;
/** An id becomes part of index keys too; a longer text counts as none. */
export const LONGEST_ID = 64;

/** The contribution of a job and the documents below it to statistics (docs/calculations.md, "Statistics"). */
export function countedJob(job: CountedDocument, below: readonly CountedReport[]): CountedJob {
  const status = textAt(job, 'status');
  const activity = textAt(job, 'activity');
  const cells: Cell[] = [{ facet: 'state', key: JSON.stringify([status, activity]), n: 1 }];
  const delay = status === 'complete' ? completion(job, below, cells) : undefined;
  verdicts(job, below, cells);
  discharge(job, below, cells);
  return { cells, delay };
}

function completion(job: CountedDocument, below: readonly CountedDocument[], cells: Cell[]): number | undefined {
  const logged = below.filter(({ type }) => type === TIMELOG_TYPE);
  const quantities = below.filter(({ type }) => type === QUANTITY_RESULT_TYPE);
  const results = [...quantities, ...below.filter(({ type }) => type === QUALITY_RESULT_TYPE)];
  const ended = latest(logged.map(({ keys }) => keys?.end ?? keys?.start));
  const finished = ended ?? latest(quantities.map(({ keys }) => keys?.date));
  const reported = latest(results.map(({ created_at }) => created_at));
  const etc = job.keys?.etc;
  const isTimed = finished !== undefined && etc instanceof Date;
  const isOnTime = isTimed && finished <= etc.getTime();
  const delay = finished !== undefined && reported !== undefined ? reported - finished : undefined;
  cells.push({
    ...{ facet: 'completion', key: '', n: 1, x: Number(isOnTime), y: Number(isTimed && !isOnTime) },
    ...{ z: Number(delay !== undefined), a: amountOf(delay ?? 0) },
  });
  if (delay !== undefined) cells.push({ facet: 'delay', key: String(Math.floor(delay / HOUR_MS)), n: 1 });
  return delay;
}

function verdicts(job: CountedDocument, below: readonly CountedDocument[], cells: Cell[]): void {
  let [n, x, y] = [0, 0, 0];
  for (const { type, body = {} } of below) {
    if (type !== QUALITY_RESULT_TYPE || body.isPerformed === false) continue;
    const { isOffSpec, isPassed } = body;
    n += 1;
    if (typeof isOffSpec === 'boolean' || typeof isPassed === 'boolean') x += 1;
    if (isOffSpec === true || (isPassed === false && isOffSpec !== false)) y += 1;
  }
  if (n === 0) return;
  cells.push({ facet: 'product', key: idAt(job, 'cargo.product') ?? '', n, x, y });
  cells.push({ facet: 'vendor', key: idAt(job, 'vendor') ?? '', n, x, y });
}

const isOutturn = ({ type, body }: CountedDocument): boolean =>
  type === QUANTITY_RESULT_TYPE && body?.direction === 'destination';

/** The load port information and the outturn by which the cargo of a job is compared, or what is missing. */
export function comparedReports(job: CountedDocument, below: readonly CountedReport[]): Compared {
  if (textAt(job, 'activity') !== 'discharge' || textAt(job, 'status') === 'cancelled') return {};
  const loads = below.filter(({ type }) => type === LOAD_PORT_INFORMATION_TYPE);
  const [load, outturn] = [newest(loads), newest(below.filter(isOutturn))];
  if (loads.length > 1) return { key: DISCHARGE.loadPorts };
  if (!load) return { key: DISCHARGE.noLoadPort };
  return outturn ? { key: DISCHARGE.good, load, outturn } : { key: DISCHARGE.noOutturn };
}

interface Compared {
  /** That of the cell `discharge`; missing if nothing is discharged. */
  readonly key?: string;
  readonly load?: CountedReport;
  readonly outturn?: CountedReport;
}

function discharge(job: CountedDocument, below: readonly CountedReport[], cells: Cell[]): void {
  const { key: outcome, load, outturn } = comparedReports(job, below);
  if (outcome === undefined) return;
  cells.push({ facet: 'discharge', key: outcome, n: 1 });
  if (!load || !outturn) return;
  for (const [facet, loaded] of load.figures ?? []) {
    const received = outturn.figures?.get(facet);
    const route = [idAt(load, 'portOfLoading'), idAt(job, 'location'), loaded.unit, received?.unit];
    if (!received) cells.push({ facet, key: '', n: 1 });
    else {
      const key = JSON.stringify(route.map((id) => id ?? null));
      cells.push({ facet, key, n: 1, a: amountOf(loaded.value), b: amountOf(received.value) });
    }
  }
}

/** The measurements that cargoes are compared by; other losses are summed from facts. */
const COMPARED: readonly string[] = ['gsv', 'nsv', 'tcv'].map((name) => `loss ${name}`);

/** The facets with rollups: of all jobs by day and month, and of those that name a record by month. */
export const ROLLED_UP: readonly string[] = [
  ...['state', 'completion', 'delay', 'product', 'vendor', 'discharge'],
  ...COMPARED,
];

/** The fields summed over the cells of a facet, besides their number. */
export function summedOf(facet: string): readonly ('x' | 'y' | 'z' | 'a' | 'b')[] {
  if (facet === 'completion') return ['x', 'y', 'z', 'a'];
  if (facet === 'product' || facet === 'vendor') return ['x', 'y'];
  return facet.startsWith('loss ') ? ['a', 'b'] : [];
}

const PLAIN = /^[\w &%./()-]{1,40}$/;

/** The facet of losses by a measurement; letter case and surrounding spaces of its name are ignored. */
export function lossFacet(measurement: string): string {
  const name = normal(measurement);
  return `loss ${PLAIN.test(name) ? name : `#${createHash('sha256').update(name).digest('hex')}`}`;
}

const normal = (text: string): string => text.trim().toLowerCase();

interface Figure {
  readonly value: number;
  readonly unit: string | undefined;
}

/**
 * A report's figures by the facets of code and name, if unambiguous; a code wins over the name of a measurement with another
 * code.
 */
export function figuresOf(measurements: Json | undefined): Map<string, Figure> {
  const found = new Map<string, Figure | undefined>();
  const reported = Array.isArray(measurements) ? measurements : [];
  const counted = reported.slice(0, MEASUREMENTS).filter(isObject);
  const codes = new Set(counted.map(({ code }) => keyOf(code)));
  for (const { code, name, value, uom } of counted) {
    const [byCode, byName] = [keyOf(code), keyOf(name)];
    const isOfAnother = byCode !== undefined && byCode !== '' && codes.has(byName);
    const figure = isSummable(value) ? { value, unit: shortId(uom) } : undefined;
    for (const key of new Set([byCode, isOfAnother ? byCode : byName])) {
      if (key !== undefined) found.set(key, found.has(key) ? undefined : figure);
    }
  }
  return new Map([...found].flatMap(([name, figure]) => (figure ? [[lossFacet(name), figure] as const] : [])));
}

const keyOf = (text: unknown): string | undefined => (typeof text === 'string' ? normal(text) : undefined);

/** The newest document; ties go to the lowest id. */
function newest<T extends CountedDocument>(documents: readonly T[]): T | undefined {
  return [...documents].sort((a, b) => b.created_at.getTime() - a.created_at.getTime() || (a._id < b._id ? -1 : 1))[0];
}

function latest(times: readonly unknown[]): number | undefined {
  let last: number | undefined;
  for (const time of times) {
    if (time instanceof Date && (last === undefined || time.getTime() > last)) last = time.getTime();
  }
  return last;
}

function textAt({ body }: CountedDocument, name: string): string | null {
  const value = body?.[name] ?? null;
  return value === null ? null : shortened(String(value), LONGEST_TEXT);
}

/** The id of the record that a member of the body refers to. */
export const idAt = ({ body }: CountedDocument, path: string): string | undefined =>
  shortId(valueAt(body, path.split('.')));

const shortId = (id: unknown): string | undefined =>
  typeof id === 'string' && id.length <= LONGEST_ID ? id : undefined;
