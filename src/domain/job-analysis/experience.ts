import { hash } from 'node:crypto';
import { throwIfInvalid } from '../../errors.ts';
import { LONGEST_TRIP, MOST_VESSELS, VOYAGES, type VoyageKind } from '../../model/document-types/job.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { instantOf } from '../../model/instant.ts';
import {
  type ExperienceFactor,
  type ExperienceTerms,
  experienceFactorOf,
} from '../analysis/experience/experience-factor.ts';
import type { LeftOutCode, LeftOutReason } from '../analysis/experience/left-out.ts';
import {
  type CombinedVoyage,
  type Grade,
  less,
  onBoard,
  sideFigure,
  type VoyageFigure,
  voyagesOf,
} from '../analysis/experience/voyages.ts';
import { MAX_JOBS_OF_RECORD } from '../documents/related-documents.ts';
import { lengthViolations } from '../lists/text-length.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { rangeViolations } from '../validation/ranges.ts';
import { AskedOnce } from './asked-once.ts';
import type { JobFacts, Measured } from './job-facts.ts';
import type { KnownItems } from './known-items.ts';
import { shareOfGrade } from './voyage-shares.ts';

/** The constants, the code or name of the measurement to compare, and a job whose voyage does not count. */
export interface ExperienceRequest extends ExperienceTerms {
  readonly measurement: string;
  readonly excluding?: string | null | undefined;
  /** More jobs whose voyages do not count. */
  readonly without?: ReadonlySet<string>;
}

/** The defaults of API MPMS 17.9 / EI HM 49, primary method. */
export const PRIMARY_METHOD: ExperienceRequest = {
  ...{ voyages: 20, lowest: 0.98, highest: 1.02, spread: 0.3, minimum: 5 },
  measurement: 'TCV',
};

/** The quantity moved by one job, and the vessel's report of it. */
type MovedQuantity =
  | { readonly vessel: VoyageFigure; readonly shore: VoyageFigure; readonly report: Entity }
  | { readonly reason: string };

/** A grade loaded onto or discharged from a vessel. */
interface JobGrade extends Grade {
  readonly job: Entity;
}

/** A loading or discharge of a vessel with all its grades. */
export type JobVoyage = CombinedVoyage<JobGrade>;

export interface ExperienceFactors {
  readonly load: ExperienceFactor<JobVoyage>;
  readonly discharge: ExperienceFactor<JobVoyage>;
  /** Jobs that are neither a loading nor a discharge. */
  readonly otherJobs: readonly { readonly job: Entity; readonly reason: string }[];
  readonly reason: string | null;
}

interface VesselVoyages {
  readonly jobs: readonly Entity[];
  /** Whether there are more that may count, and more that are in progress or were cancelled. */
  readonly isMoreDone: boolean;
  readonly isMoreOpen: boolean;
}

/** Reads the voyages of a vessel and its synonyms, and their measurements. */
export class ExperienceReader {
  readonly #load: Loaders;
  readonly #facts: JobFacts;
  readonly #known: KnownItems;
  readonly #moved = new AskedOnce<MovedQuantity>();
  readonly #voyages = new AskedOnce<VesselVoyages>();
  readonly #grades = new AskedOnce<JobGrade>();

  constructor(load: Loaders, facts: JobFacts, known: KnownItems) {
    this.#load = load;
    this.#facts = facts;
    this.#known = known;
  }

  async factorsOf(vessel: Entity, request: ExperienceRequest): Promise<ExperienceFactors> {
    refuseExperienceTerms(request);
    const catalog = String(vessel.at('xtype'));
    const isVessel = catalog === 'transports';
    if (!isVessel) {
      const none = experienceFactorOf<JobVoyage>([], request);
      const reason = `A record of the catalog ${catalog} is not a vessel.`;
      return { load: none, discharge: none, otherJobs: [], reason };
    }
    const [load, discharge, jobs] = await Promise.all([
      this.#factor(vessel, 'load', request),
      this.#factor(vessel, 'discharge', request),
      this.#jobsOf(vessel),
    ]);
    const others = jobs.filter((job) => !VOYAGES.some((kind) => kind === job.at('activity')));
    return {
      load: load.found,
      discharge: discharge.found,
      otherJobs: others.map((job) => ({ job, reason: 'It is neither a loading nor a discharge.' })),
      reason: [...load.notes, ...discharge.notes].join(' ') || null,
    };
  }

  /** The factor of one kind of voyage. */
  async factorOf(vessel: Entity, kind: VoyageKind, request: ExperienceRequest): Promise<ExperienceFactor<JobVoyage>> {
    const { found, notes } = await this.#factor(vessel, kind, request);
    return found.factor === null ? { ...found, reason: [found.reason, ...notes].join(' ') } : found;
  }

  /** The factor, and notes if jobs beyond those read might have changed it. */
  async #factor(vessel: Entity, kind: VoyageKind, request: ExperienceRequest) {
    const { jobs, isMoreDone, isMoreOpen } = await this.#voyagesOf(vessel, kind);
    const grades = await this.#gradesOf(jobs, kind, request);
    const found = experienceFactorOf(voyagesOf(grades), request);
    const rated = [...found.used, ...found.leftOut].filter(({ ratio }) => ratio !== null).length;
    const newest = `Only the newest ${MAX_JOBS_OF_RECORD} ${kind === 'load' ? 'loadings' : 'discharges'}`;
    const notes = [
      ...(isMoreDone && rated < request.voyages ? [`${newest} were looked at.`] : []),
      ...(isMoreOpen ? [`${newest} that are pending, active or cancelled were looked at.`] : []),
    ];
    return { found, notes };
  }

  /** The grades of a vessel's loadings or discharges as the primary method measures them, without their jobs. */
  async gradesOf(vessel: Entity, kind: VoyageKind): Promise<readonly Grade[]> {
    const { jobs } = await this.#voyagesOf(vessel, kind);
    const grades = await this.#gradesOf(jobs, kind, PRIMARY_METHOD);
    return grades.map(({ job: _, ...grade }) => grade);
  }

  /** The newest loadings or discharges of a vessel and its synonyms. */
  #voyagesOf(vessel: Entity, kind: VoyageKind): Promise<VesselVoyages> {
    return this.#voyages.of(vessel, () => this.#readVoyagesOf(vessel, kind), kind);
  }

  async #readVoyagesOf({ id, workspaceId }: Entity, kind: VoyageKind): Promise<VesselVoyages> {
    const group = await this.#load.synonymIds({ id, workspaceId });
    const read = (isDone: boolean) =>
      Promise.all(group.map((one) => this.#load.voyagesOf({ vessel: { id: one, workspaceId }, kind, isDone })));
    const [done, open] = await Promise.all([read(true), read(false)]);
    const jobs = [...done, ...open].flatMap((list) => list.jobs);
    return {
      jobs: ofVessel(jobs, group),
      isMoreDone: done.some(({ isMore }) => isMore),
      isMoreOpen: open.some(({ isMore }) => isMore),
    };
  }

  /** The newest jobs of a vessel and its synonyms. */
  async #jobsOf({ id, workspaceId }: Entity): Promise<readonly Entity[]> {
    const group = await this.#load.synonymIds({ id, workspaceId });
    const lists = await Promise.all(group.map((one) => this.#load.jobsOf({ id: one, workspaceId })));
    return ofVessel(lists.flat(), group);
  }

  /** The vessels that a job names, by one record each: synonyms are one vessel. */
  async vesselsOf(job: Entity): Promise<readonly unknown[]> {
    const records = vesselRecordsOf(job);
    if (records.length < 2) return records;
    await this.#known.learnGroupsOf(records, job.workspaceId);
    const vessels = Map.groupBy(records, (record) => this.#known.groupOf(record) ?? record);
    return [...vessels.values()].map(([first]) => first);
  }

  #gradesOf(jobs: readonly Entity[], kind: VoyageKind, request: ExperienceRequest): Promise<JobGrade[]> {
    return Promise.all(jobs.map((job) => this.#grade(job, kind, request)));
  }

  async #grade(
    job: Entity,
    kind: VoyageKind,
    { measurement, excluding, without }: ExperienceRequest,
  ): Promise<JobGrade> {
    const grade = await this.#grades.of(job, () => this.#readGrade(job, kind, measurement), [kind, measurement]);
    if (job.id !== excluding && without?.has(job.id) !== true) return grade;
    const { vessel: _, shore: __, ...rest } = grade;
    return { ...rest, problem: leftOut('EXCLUDED', 'It was excluded.') };
  }

  async #readGrade(job: Entity, kind: VoyageKind, measurement: string): Promise<JobGrade> {
    const { all } = await this.#facts.quantity(job);
    const grade = { id: job.id, job, date: dateOf(job, all), trip: tripOf(job) };
    const problem = problemOf(job, all) ?? severalVessels(await this.vesselsOf(job));
    if (problem) return { ...grade, problem };
    const moved = await this.moved(job, kind, measurement);
    if ('reason' in moved) return { ...grade, problem: leftOut('MISSING_FIGURE', moved.reason) };
    return { ...grade, vessel: moved.vessel, shore: moved.shore };
  }

  /** What a job contributes to the factor of its vessel (src/domain/job-analysis/voyage-shares.ts). */
  async shareOf(job: Entity, kind: VoyageKind): Promise<string> {
    return shareOfGrade(await this.#grade(job, kind, PRIMARY_METHOD), kind);
  }

  /** What vessel and shore measured for one job: the vessel's figure less OBQ or ROB, with its report; or why it is unknown. */
  moved(job: Entity, kind: VoyageKind, measurement: string): Promise<MovedQuantity> {
    return this.#moved.of(job, () => this.#measure(job, kind, measurement), [kind, measurement]);
  }

  async #measure(job: Entity, kind: VoyageKind, measurement: string): Promise<MovedQuantity> {
    const { all } = await this.#facts.quantity(job);
    const side = (direction: string) => all.find((result) => result.direction === direction);
    // For a loading the shore is the source, for a discharge the vessel (interface, "Quantity result").
    const [vessel, shore] =
      kind === 'load' ? [side('destination'), side('source')] : [side('source'), side('destination')];
    const gross = sideFigure(vessel?.measurements ?? [], measurement, 'vessel');
    const ashore = sideFigure(shore?.measurements ?? [], measurement, 'shore');
    const quantity = onBoard(vessel?.measurements ?? [], kind === 'load' ? 'OBQ' : 'ROB');
    const net = 'reason' in gross ? gross : less(gross, quantity);
    if ('reason' in net) return net;
    if ('reason' in ashore || !vessel) return 'reason' in ashore ? ashore : { reason: 'The vessel did not report.' };
    return { vessel: net, shore: ashore, report: vessel.entity };
  }
}

/** What a job without quantity results contributes to the factor of its vessel. */
export function shareWithoutReports(job: Entity, kind: VoyageKind): string {
  const problem = problemOf(job, []) ?? leftOut('MISSING_FIGURE', 'Nothing was measured.');
  return shareOfGrade({ id: job.id, date: dateOf(job, []), trip: tripOf(job), problem }, kind);
}

const leftOut = (code: LeftOutCode, reason: string): LeftOutReason => ({ code, reason });

/** Why a job may not count, whatever its figures. */
function problemOf(job: Entity, results: readonly Measured[]): LeftOutReason | undefined {
  const status = job.at('status');
  if (status === 'cancelled') return leftOut('CANCELLED', 'The job was cancelled.');
  if (status === 'pending' || status === 'active') return leftOut('UNDER_WAY', 'The voyage is under way.');
  if (results.some(({ activeShoreTank }) => activeShoreTank === true)) {
    return leftOut('ACTIVE_SHORE_TANK', 'The shore tank was active.');
  }
  return undefined;
}

function severalVessels({ length }: readonly unknown[]): LeftOutReason | undefined {
  if (length === 1) return undefined;
  return leftOut('MISSING_FIGURE', `The job names ${length} vessels: the figures are not those of one.`);
}

/**
 * The number of a job's trip, which identifies the grades of one voyage; ignores letter case and surrounding space. A very long
 * one is its beginning and a hash: it is kept and compared for every job of the vessel.
 */
export function tripOf(job: Entity): string | undefined {
  const number = job.at('tripNumber');
  const text = typeof number === 'string' || typeof number === 'number' ? String(number).trim().toLowerCase() : '';
  const start = [...text.slice(0, 2 * LONGEST_TRIP + 1)];
  if (start.length > LONGEST_TRIP) return start.slice(0, LONGEST_TRIP).join('') + hash('sha256', text, 'base64url');
  return text === '' ? undefined : text;
}

/** The records of the first vessels that a job names, without duplicates. */
export const vesselRecordsOf = (job: Entity): readonly unknown[] => {
  const transports = job.at('transports');
  return Array.isArray(transports) ? [...new Set<unknown>(transports)].slice(0, MOST_VESSELS) : [];
};

/** The jobs of a vessel, given all of its records, without duplicates. */
function ofVessel(jobs: readonly Entity[], group: readonly string[]): Entity[] {
  const inGroup = new Set<unknown>(group);
  const distinct = new Map(jobs.map((job) => [job.id, job]));
  return [...distinct.values()].filter((job) => vesselRecordsOf(job).some((transport) => inGroup.has(transport)));
}

function dateOf(job: Entity, results: readonly Measured[]): Date {
  const measured = results.flatMap(({ date }) => instant(date) ?? []);
  const last = measured.sort((a, b) => b.getTime() - a.getTime())[0];
  return last ?? instant(job.at('etc')) ?? job.createdAt;
}

const instant = (value: unknown): Date | undefined => (typeof value === 'string' ? instantOf(value) : undefined);

/** INVALID_INPUT names every invalid constant. */
export function refuseExperienceTerms({
  voyages,
  lowest,
  highest,
  spread,
  minimum,
  measurement,
}: ExperienceRequest): void {
  const violations = [...lengthViolations({ measurement }), ...rangeViolations({ voyages }, [1, 100])];
  const refuse = (wrong: boolean, parameter: string, message: string) =>
    wrong && violations.push({ parameter, message });
  refuse(minimum < 1 || minimum > voyages, 'minimum', 'must be from 1 to `voyages`.');
  refuse(!(lowest > 0), 'lowest', 'must be above 0.');
  refuse(!(highest > lowest), 'highest', 'must be above `lowest`.');
  refuse(!(spread > 0) || spread > 100, 'spread', 'must be above 0, up to 100.');
  refuse(measurement.trim() === '', 'measurement', 'must not be empty.');
  throwIfInvalid(violations);
}
