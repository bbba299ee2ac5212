import { ServiceError } from '../../errors.ts';
import { LOAD_PORT_INFORMATION_TYPE } from '../../model/document-types/load-port-information.ts';
import { QUALITY_RESULT_TYPE } from '../../model/document-types/quality-result.ts';
import { QUANTITY_RESULT_TYPE } from '../../model/document-types/quantity-result.ts';
import { TIMELOG_TYPE } from '../../model/document-types/timelog.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import type { Measurement } from '../analysis/measurements.ts';
import type { ReportedQuality } from '../analysis/quality-summary.ts';
import type { LoggedEvent } from '../analysis/time-summary.ts';
import { MAX_MEASURED, MAX_REPORTED } from '../documents/related-documents.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { AskedOnce } from './asked-once.ts';
import type { KnownItems } from './known-items.ts';

/** What was reported of one kind for a job, in the shape of the calculations, each item with its source entity. */
interface Facts<T> {
  readonly all: readonly (T & { readonly entity: Entity })[];
  /** Says so if there is more than calculations read. */
  readonly note: string | undefined;
}

export type QualityFacts = Facts<ReportedQuality>;
export type TimeLogFacts = Facts<LoggedEvent>;
type MeasuredFacts = Facts<Measured>;

export interface Measured {
  readonly direction: unknown;
  readonly date: unknown;
  readonly activeShoreTank: unknown;
  readonly measurements: readonly Measurement[];
}

/** Reads what was reported for the jobs of one request; each kind of a job once. */
export class JobFacts {
  readonly #load: Loaders;
  readonly #quality = new AskedOnce<QualityFacts>();
  readonly #timeLog = new AskedOnce<TimeLogFacts>();
  readonly #quantity = new AskedOnce<MeasuredFacts>();
  readonly #loadPorts = new AskedOnce<MeasuredFacts>();
  readonly #known: KnownItems;
  readonly #mostMeasurements: number;
  #measurements = 0;

  /** TOO_LARGE for reports with more measurements than that in total. */
  constructor(load: Loaders, known: KnownItems, mostMeasurements = Number.POSITIVE_INFINITY) {
    this.#load = load;
    this.#known = known;
    this.#mostMeasurements = mostMeasurements;
  }

  quality(job: Entity): Promise<QualityFacts> {
    return this.#quality.of(job, () =>
      this.#facts(job, QUALITY_RESULT_TYPE, {
        learn: (found) => this.#known.learnGroups(found, 'test'),
        read: (entity) => qualityFact(entity, this.#known.groupOf(entity.at('test'))),
      }),
    );
  }

  timeLog(job: Entity): Promise<TimeLogFacts> {
    return this.#timeLog.of(job, () =>
      this.#facts(job, TIMELOG_TYPE, {
        learn: (found) => this.#known.learnGroups(found, 'type'),
        read: (entity) => ({
          type: this.#known.groupOf(entity.at('type')),
          category: entity.at('category'),
          start: entity.at('start'),
          end: entity.at('end'),
          entity,
        }),
      }),
    );
  }

  quantity(job: Entity): Promise<MeasuredFacts> {
    return this.#quantity.of(job, () => this.#measured(job, QUANTITY_RESULT_TYPE));
  }

  loadPorts(job: Entity): Promise<MeasuredFacts> {
    return this.#loadPorts.of(job, () => this.#measured(job, LOAD_PORT_INFORMATION_TYPE));
  }

  #measured(job: Entity, type: string): Promise<MeasuredFacts> {
    return this.#facts(job, type, {
      sizeOf: type === LOAD_PORT_INFORMATION_TYPE ? (report) => reportedIn(report).length : undefined,
      learn: (found) => this.#known.learnSpelled(this.#unitsIn(found)),
      read: (entity) => ({
        direction: entity.at('direction'),
        date: entity.at('date'),
        activeShoreTank: entity.at('activeShoreTank'),
        measurements: reportedIn(entity).map(({ code, name, uom, value }) => ({
          code: textOf(code),
          name: textOf(name),
          value,
          unit: this.#known.spelled(uom),
        })),
        entity,
      }),
    });
  }

  #unitsIn(reports: readonly Entity[]): Set<unknown> {
    const ids = new Set<unknown>();
    for (const report of reports) {
      this.#check(); // decodes none of the reports beyond the limit
      const reported = reportedIn(report);
      this.#measurements += reported.length;
      for (const { uom } of reported) ids.add(uom);
    }
    this.#check();
    return ids;
  }

  #check(): void {
    const most = this.#mostMeasurements;
    if (this.#measurements <= most) return;
    throw new ServiceError('TOO_LARGE', `The reports have more than ${most} measurements together.`);
  }

  /** First looks up what the catalog says about all of them, so that each can then be read synchronously. */
  #facts<T extends object>(job: Entity, type: string, { learn, read, sizeOf }: Reading<T>): Promise<Facts<T>> {
    return this.#load.reported(job, type).then((found) => {
      const counted = newestOf(found, sizeOf);
      const facts = (): Facts<T> => ({
        all: counted.map(read),
        note: counted.length < found.length ? `Only the newest ${counted.length} reports are counted.` : undefined,
      });
      return learn(counted)?.then(facts) ?? facts();
    });
  }
}

interface Reading<T> {
  /** The measurements of a report, where their number is limited. */
  readonly sizeOf?: ((report: Entity) => number) | undefined;
  /** Undefined if there is nothing to wait for. */
  readonly learn: (found: readonly Entity[]) => Promise<unknown> | undefined;
  readonly read: (entity: Entity) => T & { readonly entity: Entity };
}

/** The reports that calculations read, newest first; decodes none of those beyond the limit. */
function newestOf(found: readonly Entity[], sizeOf: Reading<object>['sizeOf']): readonly Entity[] {
  let left = MAX_MEASURED;
  let count = 0;
  for (const report of found.slice(0, MAX_REPORTED)) {
    left -= sizeOf?.(report) ?? 0;
    if (left < 0) break;
    count += 1;
  }
  return count === found.length ? found : found.slice(0, count);
}

const qualityFact = (entity: Entity, test: string | undefined): QualityFacts['all'][number] => ({
  entity,
  test,
  location: textOf(entity.at('sample', 'location')),
  date: entity.at('date') ?? entity.at('testDate'),
  setNumber: entity.at('setNumber'),
  testNumber: entity.at('testNumber'),
  createdAt: entity.createdAt,
  status: entity.at('status'),
  isOffSpec: entity.at('isOffSpec'),
  isPassed: entity.at('isPassed'),
  isRetestNeeded: entity.at('isRetestNeeded'),
  isPerformed: entity.at('isPerformed'),
});

function reportedIn(entity: Entity): readonly JsonObject[] {
  const reported = entity.at('measurements');
  if (!Array.isArray(reported)) return [];
  return reported.every(isObject) ? reported : reported.filter(isObject);
}

const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
};
