import { type Fault, invalidInput } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { instantOf } from '../../model/instant.ts';
import {
  type ExperienceFactor,
  type ExperienceTerms,
  experienceFactorOf,
  type Voyage,
} from '../analysis/experience-factor.ts';
import { type Figure, figuresOf, isCalled } from '../analysis/measurements.ts';
import type { Loaders } from '../loaders.ts';
import type { JobFacts, Measured } from './job-facts.ts';

/** The constants, and the code or name of the measurement that is compared. */
export interface ExperienceRequest extends ExperienceTerms {
  readonly measurement: string;
}

/** A loading or discharge of a vessel. */
export interface JobVoyage extends Voyage {
  readonly job: Entity;
  /** When its quantities were measured; else its estimated completion, else its creation. */
  readonly date: Date;
}

export interface ExperienceFactors {
  readonly load: ExperienceFactor<JobVoyage>;
  readonly discharge: ExperienceFactor<JobVoyage>;
  /** Jobs that are neither a loading nor a discharge. */
  readonly otherJobs: readonly { readonly job: Entity; readonly reason: string }[];
  readonly reason: string | null;
}

/** Reads the voyages of a vessel and its synonyms, and what was measured on them. */
export class ExperienceReader {
  readonly #load: Loaders;
  readonly #facts: JobFacts;

  constructor(load: Loaders, facts: JobFacts) {
    this.#load = load;
    this.#facts = facts;
  }

  async factorsOf(vessel: Entity, request: ExperienceRequest): Promise<ExperienceFactors> {
    refuseTerms(request);
    const catalog = String(vessel.at('xtype'));
    const isVessel = catalog === 'transports';
    const jobs = isVessel ? await this.#jobsOf(vessel) : [];
    const moves = (kind: string) => jobs.filter((job) => job.at('activity') === kind);
    const factor = async (kind: 'load' | 'discharge') => {
      const voyages = await Promise.all(moves(kind).map((job) => this.#voyage(job, kind, request.measurement)));
      return experienceFactorOf(voyages.sort(newestFirst), request);
    };
    const [load, discharge] = await Promise.all([factor('load'), factor('discharge')]);
    const others = jobs.filter((job) => !['load', 'discharge'].includes(String(job.at('activity'))));
    return {
      load,
      discharge,
      otherJobs: others.map((job) => ({ job, reason: 'It is neither a loading nor a discharge.' })),
      reason: isVessel ? null : `A record of the catalog ${catalog} is not a vessel.`,
    };
  }

  async #jobsOf({ id, workspaceId }: Entity): Promise<Entity[]> {
    const group = await this.#load.synonymIds({ id, workspaceId });
    const lists = await Promise.all(group.map((one) => this.#load.jobsOf({ id: one, workspaceId })));
    const jobs = new Map(lists.flat().map((job) => [job.id, job]));
    const inGroup = new Set<unknown>(group);
    return [...jobs.values()].filter((job) => transportsOf(job).some((transport) => inGroup.has(transport)));
  }

  /** For a loading the shore is the source, for a discharge the vessel (interface, "Quantity result"). */
  async #voyage(job: Entity, kind: 'load' | 'discharge', measurement: string): Promise<JobVoyage> {
    const { all } = await this.#facts.quantity(job);
    const side = (direction: string) => all.find((result) => result.direction === direction);
    const [vessel, shore] =
      kind === 'load' ? [side('destination'), side('source')] : [side('source'), side('destination')];
    const [onBoard, ashore] = [figureOf(vessel, measurement), figureOf(shore, measurement)];
    const vessels = transportsOf(job).length;
    const problem =
      job.at('status') === 'cancelled'
        ? 'The job was cancelled.'
        : vessels !== 1
          ? `The job names ${vessels} vessels: the figures are not those of one.`
          : (problemOf(onBoard, 'vessel', measurement) ?? problemOf(ashore, 'shore', measurement));
    return {
      job,
      date: dateOf(job, all),
      ...(problem === undefined ? { vessel: voyageFigure(onBoard), shore: voyageFigure(ashore) } : { problem }),
    };
  }
}

const transportsOf = (job: Entity): readonly unknown[] => {
  const transports = job.at('transports');
  return Array.isArray(transports) ? transports : [];
};

const figureOf = (side: Measured | undefined, measurement: string): Figure | undefined =>
  figuresOf(side?.measurements ?? []).find((figure) => isCalled(figure, measurement));

function problemOf(figure: Figure | undefined, side: string, measurement: string): string | undefined {
  if (!figure) return `There is no ${measurement} of the ${side}.`;
  return figure.value ? undefined : `The ${side}: ${figure.reason}`;
}

const voyageFigure = (figure: Figure | undefined) =>
  figure?.value ? { value: figure.value, unit: figure.unit } : undefined;

function dateOf(job: Entity, results: readonly Measured[]): Date {
  const measured = results.flatMap(({ date }) => instant(date) ?? []);
  const last = measured.sort((a, b) => b.getTime() - a.getTime())[0];
  return last ?? instant(job.at('etc')) ?? job.createdAt;
}

const instant = (value: unknown): Date | undefined => (typeof value === 'string' ? instantOf(value) : undefined);

const newestFirst = (a: JobVoyage, b: JobVoyage): number =>
  b.date.getTime() - a.date.getTime() || (a.job.id < b.job.id ? -1 : 1);

/** INVALID_INPUT names every constant that makes no sense. */
function refuseTerms({ voyages, lowest, highest, spread, minimum, measurement }: ExperienceRequest): void {
  const faults: Fault[] = [];
  const refuse = (wrong: boolean, parameter: string, message: string) => wrong && faults.push({ parameter, message });
  refuse(voyages < 1 || voyages > 100, 'voyages', 'must be from 1 to 100.');
  refuse(minimum < 1 || minimum > voyages, 'minimum', 'must be from 1 to `voyages`.');
  refuse(!(lowest > 0), 'lowest', 'must be above 0.');
  refuse(!(highest > lowest), 'highest', 'must be above `lowest`.');
  refuse(!(spread > 0) || spread > 100, 'spread', 'must be above 0, up to 100.');
  refuse(measurement.trim() === '', 'measurement', 'must not be empty.');
  if (faults.length > 0) throw invalidInput(faults);
}
