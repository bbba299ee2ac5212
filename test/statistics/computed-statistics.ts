import type { Db, Document } from 'mongodb';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import { LOAD_PORT_INFORMATION_TYPE } from '../../src/model/document-types/load-port-information.ts';
import { QUALITY_RESULT_TYPE } from '../../src/model/document-types/quality-result.ts';
import { QUANTITY_RESULT_TYPE } from '../../src/model/document-types/quantity-result.ts';
import { TIMELOG_TYPE } from '../../src/model/document-types/timelog.ts';

/** The jobs counted: those of one workspace, or all that a tenant may see, created in a period. */
export interface JobScope {
  readonly workspace?: string;
  readonly readers: string;
  /** Workspaces whose jobs are left out. */
  readonly declined?: readonly string[];
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  /** The records that the jobs name. */
  readonly naming?: Readonly<Record<string, string>>;
}

interface JobCountRow {
  readonly _id: { readonly status: unknown; readonly activity: unknown };
  readonly jobs: number;
}

/** Times are in milliseconds; the sum is a BSON decimal, whose text is the number. */
export interface CompletionRow {
  readonly jobs: number;
  readonly onTime: number;
  readonly late: number;
  readonly reported: number;
  readonly delay: { toString(): string };
  readonly longest: number | null;
  readonly delays: readonly (number | null)[];
}

interface VerdictRow {
  readonly _id: { readonly product: unknown; readonly vendor: unknown };
  readonly results: number;
  readonly judged: number;
  readonly off: number;
}

interface RouteRow {
  readonly _id: {
    /** Why these jobs are not counted; the rest of the key is null then. */
    readonly problem: string | null;
    readonly from: unknown;
    readonly to: unknown;
    readonly loadedUnit: unknown;
    readonly outturnUnit: unknown;
  };
  readonly jobs: number;
  readonly loaded: { toString(): string };
  readonly outturn: { toString(): string };
}

/** Statistics by definition: aggregated from the documents. Kept statistics are compared with them. */
export class ComputedStatistics {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The number of jobs by status and activity. */
  jobCounts(scope: JobScope): Promise<JobCountRow[]> {
    const group = { _id: { status: orNull('$body.status'), activity: orNull('$body.activity') }, jobs: { $sum: 1 } };
    return this.#ofJobs(scope, {}, [{ $group: group }]);
  }

  /** Of complete jobs: how many were finished in time, and how long their results took; milliseconds. */
  async completion(scope: JobScope): Promise<CompletionRow | undefined> {
    const isTimeLog = { $eq: ['$type', TIMELOG_TYPE] };
    const found = {
      _id: null,
      ended: { $max: { $cond: [isTimeLog, { $ifNull: ['$keys.end', '$keys.start'] }, null] } },
      measured: { $max: { $cond: [{ $eq: ['$type', QUANTITY_RESULT_TYPE] }, '$keys.date', null] } },
      reported: { $max: { $cond: [isTimeLog, null, '$created_at'] } },
    };
    const known = (...names: string[]) => ({ $and: names.map((name) => ({ $eq: [{ $type: name }, 'date'] })) });
    const when = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
    const timed = known('$finished', '$etc');
    const delay = { $cond: [known('$finished', '$reported'), { $subtract: ['$reported', '$finished'] }, null] };
    const [row] = await this.#ofJobs<CompletionRow>(scope, { 'body.status': 'complete' }, [
      { $project: { workspace: 1, etc: '$keys.etc' } },
      this.#below(scope, { $in: [QUALITY_RESULT_TYPE, QUANTITY_RESULT_TYPE, TIMELOG_TYPE] }, [{ $group: found }]),
      { $set: { found: { $first: '$found' } } },
      {
        $project: {
          etc: 1,
          reported: '$found.reported',
          finished: { $ifNull: ['$found.ended', '$found.measured'] },
        },
      },
      { $set: { delay } },
      {
        $group: {
          _id: null,
          jobs: { $sum: 1 },
          onTime: when({ $and: [timed, { $lte: ['$finished', '$etc'] }] }),
          late: when({ $and: [timed, { $gt: ['$finished', '$etc'] }] }),
          reported: when({ $ne: ['$delay', null] }),
          delay: { $sum: { $toDecimal: '$delay' } },
          longest: { $max: '$delay' },
          delays: { $push: '$delay' },
        },
      },
    ]);
    return row;
  }

  /** How quality results were judged, for each pair of product and vendor. */
  verdicts(scope: JobScope): Promise<VerdictRow[]> {
    const is = (name: string, value: boolean) => ({ $eq: [`$body.${name}`, value] });
    const off = { $or: [is('isOffSpec', true), { $and: [is('isPassed', false), { $not: is('isOffSpec', false) }] }] };
    const judged = { $or: ['isOffSpec', 'isPassed'].flatMap((name) => [is(name, true), is(name, false)]) };
    const one = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
    const performed = { $match: { 'body.isPerformed': { $ne: false } } };
    const group = { _id: null, results: { $sum: 1 }, judged: one(judged), off: one(off) };
    const sum = (name: string) => ({ [name]: { $sum: `$found.${name}` } });
    return this.#ofJobs(scope, {}, [
      { $project: { workspace: 1, product: '$body.cargo.product', vendor: '$body.vendor' } },
      this.#below(scope, QUALITY_RESULT_TYPE, [performed, { $group: group }]),
      { $unwind: '$found' },
      {
        $group: {
          _id: { product: orNull('$product'), vendor: orNull('$vendor') },
          ...{ ...sum('results'), ...sum('judged'), ...sum('off') },
        },
      },
    ]);
  }

  /** What discharge jobs loaded and delivered, for each route and pair of units; else the problem of a job. */
  routes(scope: JobScope, measurement: string): Promise<RouteRow[]> {
    const figures = figuresCalled(measurement);
    const destination = { $match: { 'body.direction': 'destination' } };
    const [loaded, outturn] = [{ $first: '$loads.figures' }, { $first: '$outturns.figures' }];
    return this.#ofJobs(scope, { 'body.activity': 'discharge', 'body.status': { $ne: 'cancelled' } }, [
      { $project: { workspace: 1, location: '$body.location' } },
      this.#below(scope, LOAD_PORT_INFORMATION_TYPE, [{ $project: { port: '$body.portOfLoading', figures } }], 'loads'),
      this.#below(scope, QUANTITY_RESULT_TYPE, [destination, { $project: { figures } }], 'outturns'),
      {
        $project: {
          location: 1,
          port: { $first: '$loads.port' },
          loads: { $size: '$loads' },
          outturns: { $size: '$outturns' },
          loaded,
          outturn,
        },
      },
      {
        $project: {
          route: { from: orNull('$port'), to: orNull('$location') },
          problem: problemOf(),
          loaded: { $first: '$loaded' },
          outturn: { $first: '$outturn' },
        },
      },
      {
        $group: {
          _id: {
            problem: '$problem',
            ...onlyGood({
              from: '$route.from',
              to: '$route.to',
              loadedUnit: orNull('$loaded.uom'),
              outturnUnit: orNull('$outturn.uom'),
            }),
          },
          jobs: { $sum: 1 },
          loaded: { $sum: { $cond: [isGood, { $toDecimal: '$loaded.value' }, 0] } },
          outturn: { $sum: { $cond: [isGood, { $toDecimal: '$outturn.value' }, 0] } },
        },
      },
    ]);
  }

  #ofJobs<Row extends object>(
    { from, to, declined, naming, ...scope }: JobScope,
    more: Document,
    stages: Document[],
  ): Promise<Row[]> {
    const without = declined && { workspace: { $nin: [...declined] } };
    const match = { ...scope, ...without, type: JOB_TYPE, created_at: { $gte: from, $lt: to }, ...naming, ...more };
    return this.#db
      .collection('documents')
      .aggregate<Row>([{ $match: match }, ...stages], { allowDiskUse: true })
      .toArray();
  }

  /** The documents of a type below each job in the pipeline. */
  #below({ readers }: JobScope, type: unknown, pipeline: Document[], as = 'found'): Document {
    const sameJob = { $and: [{ $eq: ['$workspace', '$$workspace'] }, { $eq: ['$parent_id', '$$job'] }] };
    return {
      $lookup: {
        from: 'documents',
        let: { workspace: '$workspace', job: '$_id' },
        pipeline: [{ $match: { type, readers, $expr: sameJob } }, ...pipeline],
        as,
      },
    };
  }
}

const orNull = (path: string) => ({ $ifNull: [path, null] });

/** The measurements with a given code, or a name that is no code, ignoring letter case. */
function figuresCalled(measurement: string): Document {
  const text = (path: string) => ({
    $toLower: { $trim: { input: { $cond: [{ $eq: [{ $type: path }, 'string'] }, path, ''] } } },
  });
  const all = { $cond: [{ $isArray: '$body.measurements' }, '$body.measurements', []] };
  const called = { $literal: measurement.trim().toLowerCase() };
  const isACode = { $in: [called, { $map: { input: all, as: 'one', in: text('$$one.code') } }] };
  const hasNoOther = { $or: [{ $eq: [text('$$one.code'), ''] }, { $not: isACode }] };
  const isCalled = { $and: [{ $eq: [text('$$one.name'), called] }, hasNoOther] };
  return { $filter: { input: all, as: 'one', cond: { $or: [{ $eq: [text('$$one.code'), called] }, isCalled] } } };
}

const isGood = { $eq: ['$problem', null] };
const onlyGood = (fields: Readonly<Record<string, unknown>>): Document =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { $cond: [isGood, value, null] }]));

/** Why a discharge cannot be counted in the loss of a route; null when it can. */
function problemOf(): unknown {
  const oneFigure = (path: string) => ({
    $and: [{ $eq: [{ $size: { $ifNull: [path, []] } }, 1] }, { $isNumber: { $first: `${path}.value` } }],
  });
  const problems: readonly (readonly [object, string])[] = [
    [{ $eq: ['$loads', 0] }, 'There is no load port information.'],
    [{ $gt: ['$loads', 1] }, 'There is more than one load port.'],
    [{ $eq: ['$outturns', 0] }, 'There is no quantity result of the destination.'],
    [{ $not: oneFigure('$loaded') }, 'The load port has not exactly one such figure.'],
    [{ $not: oneFigure('$outturn') }, 'The destination has not exactly one such figure.'],
  ];
  return problems.reduceRight<unknown>((otherwise, [wrong, text]) => ({ $cond: [wrong, text, otherwise] }), null);
}
