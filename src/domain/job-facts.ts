import { LOAD_PORT_INFORMATION_TYPE } from '../model/document-types/load-port-information.ts';
import { QUALITY_RESULT_TYPE } from '../model/document-types/quality-result.ts';
import { QUANTITY_RESULT_TYPE } from '../model/document-types/quantity-result.ts';
import { TIMELOG_TYPE } from '../model/document-types/timelog.ts';
import type { Entity } from '../model/entity.ts';
import { isObject } from '../model/json.ts';
import type { NamedEvent } from './analysis/laytime.ts';
import type { Measurement } from './analysis/measurements.ts';
import type { ReportedQuality } from './analysis/quality-summary.ts';
import type { LoggedEvent } from './analysis/time-summary.ts';
import { knownUnitOf, type UnitOfMeasure } from './analysis/units.ts';
import type { Loaders } from './loaders.ts';
import { MAX_REPORTED } from './reported.ts';
import { spellingsOf } from './unit-record.ts';

/** What was reported of one kind for a job, in the shape of the calculations, each with the entity that it was read from. */
export interface Facts<T> {
  readonly all: readonly (T & { readonly entity: Entity })[];
  /** Says so where there is more than calculations read. */
  readonly note: string | undefined;
}

export type QualityFacts = Facts<ReportedQuality>;
export type TimeLogFacts = Facts<LoggedEvent & NamedEvent>;

export interface Measured {
  readonly direction: unknown;
  readonly date: unknown;
  readonly measurements: readonly Measurement[];
}

/** Reads what was reported for the jobs of one request; each kind of a job once. */
export class JobFacts {
  readonly #load: Loaders;
  readonly #quality = new Map<string, Promise<QualityFacts>>();

  constructor(load: Loaders) {
    this.#load = load;
  }

  quality(job: Entity): Promise<QualityFacts> {
    const known = this.#quality.get(job.id) ?? this.#facts(job, QUALITY_RESULT_TYPE, (entity) => this.#test(entity));
    this.#quality.set(job.id, known);
    return known;
  }

  timeLog(job: Entity): Promise<TimeLogFacts> {
    return this.#facts(job, TIMELOG_TYPE, (entity) => this.#event(entity));
  }

  quantity(job: Entity): Promise<Facts<Measured>> {
    return this.#facts(job, QUANTITY_RESULT_TYPE, (entity) => this.#measured(entity));
  }

  loadPorts(job: Entity): Promise<Facts<Measured>> {
    return this.#facts(job, LOAD_PORT_INFORMATION_TYPE, (entity) => this.#measured(entity));
  }

  async #facts<T extends object>(job: Entity, type: string, read: (entity: Entity) => Promise<T>): Promise<Facts<T>> {
    const found = await this.#load.reported(job, type);
    const isMore = found.length > MAX_REPORTED;
    const all = await Promise.all(
      found.slice(0, MAX_REPORTED).map(async (entity) => ({ ...(await read(entity)), entity })),
    );
    return { all, note: isMore ? `Only the newest ${MAX_REPORTED} reports are counted.` : undefined };
  }

  async #test(entity: Entity): Promise<ReportedQuality> {
    return {
      test: await this.#group(entity, entity.at('test')),
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
    };
  }

  async #event(entity: Entity): Promise<LoggedEvent & NamedEvent> {
    const [type, record] = await Promise.all([
      this.#group(entity, entity.at('type')),
      this.#load.catalogRecord(entity.at('type')),
    ]);
    return {
      type,
      typeNames: record ? spellingsOf(record) : [],
      category: entity.at('category'),
      start: entity.at('start'),
      end: entity.at('end'),
    };
  }

  async #measured(entity: Entity): Promise<Measured> {
    const reported = entity.at('measurements');
    const measurements = Array.isArray(reported) ? reported.filter(isObject) : [];
    return {
      direction: entity.at('direction'),
      date: entity.at('date'),
      measurements: await Promise.all(
        measurements.map(async ({ code, name, uom, value }) => ({
          code: textOf(code),
          name: textOf(name),
          unit: await this.#unit(uom),
          value,
        })),
      ),
    };
  }

  /** A unit with what its record calls it; where nobody knows that, also with what its synonyms are called. */
  async #unit(id: unknown): Promise<UnitOfMeasure | undefined> {
    const record = await this.#load.catalogRecord(id);
    if (!record) return undefined;
    const unit = { id: record.id, spellings: spellingsOf(record) };
    if (knownUnitOf(unit)) return unit;
    const synonyms = await this.#load.synonymGroup(record);
    return { id: record.id, spellings: [...unit.spellings, ...synonyms.flatMap(spellingsOf)] };
  }

  /** One key for all records that describe the same item as the one that a document names. */
  async #group({ workspaceId }: Entity, id: unknown): Promise<string | undefined> {
    return typeof id === 'string' ? (await this.#load.synonymIds({ id, workspaceId }))[0] : undefined;
  }
}

const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
};
