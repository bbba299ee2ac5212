import { throwIfInvalid } from '../../errors.ts';
import type { VoyageKind } from '../../model/document-types/job.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { valueAt } from '../../model/json.ts';
import { Decimal } from '../analysis/decimal.ts';
import { onBoard, sideFigure, total, type VoyageFigure } from '../analysis/experience/voyages.ts';
import type { Measurement } from '../analysis/measurements.ts';
import {
  type AnalysedVoyage,
  analyseVoyage,
  type VoyageFactor,
  type VoyageSum,
} from '../analysis/voyage/voyage-analysis.ts';
import type { SomeJobs } from '../documents/related-documents.ts';
import { lengthViolations } from '../lists/text-length.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { rangeViolations } from '../validation/ranges.ts';
import { type ExperienceReader, PRIMARY_METHOD, tripOf } from './experience.ts';
import type { JobFacts } from './job-facts.ts';
import type { KnownItems } from './known-items.ts';

/** What to compare, and the vessel's factors if they are not to be taken from its voyages. */
export interface VoyageRequest {
  readonly measurement: string;
  readonly loadFactor?: number | null | undefined;
  readonly dischargeFactor?: number | null | undefined;
}

export interface VoyageAnalysis extends AnalysedVoyage {
  readonly loadings: readonly Entity[];
  readonly discharges: readonly Entity[];
  readonly reason: string | null;
}

/** A vessel and its jobs of one trip; the vessel is undefined unless each job names exactly one. */
interface Trip {
  readonly vessel: Entity | undefined;
  readonly jobs: readonly Entity[];
  readonly reason: string | null;
}

/** Reads the jobs of one voyage of a vessel, and analyses them. */
export class VoyageReader {
  readonly #load: Loaders;
  readonly #facts: JobFacts;
  readonly #known: KnownItems;
  readonly #experience: ExperienceReader;

  constructor(load: Loaders, facts: JobFacts, known: KnownItems, experience: ExperienceReader) {
    this.#load = load;
    this.#facts = facts;
    this.#known = known;
    this.#experience = experience;
  }

  async analysis(job: Entity, request: VoyageRequest): Promise<VoyageAnalysis> {
    refuseVoyageRequest(request);
    const trip = await this.#tripOf(job);
    const ofKind = (kind: VoyageKind) => trip.jobs.filter((one) => one.at('activity') === kind);
    const [loadings, discharges] = [ofKind('load'), ofKind('discharge')];
    const [loaded, discharged, unlike, billOfLading, loadFactor, dischargeFactor] = await Promise.all([
      this.#figuresOf(loadings, 'load', request.measurement),
      this.#figuresOf(discharges, 'discharge', request.measurement),
      this.#whyUnlike(loadings, discharges),
      loadings.length === 0 ? this.#billOfLading(discharges, request.measurement) : undefined,
      this.#factor(trip, 'load', request),
      this.#factor(trip, 'discharge', request),
    ]);
    const found = analyseVoyage({
      shoreLoaded: billOfLading ?? loaded.shore,
      departure: loaded.vessel,
      obq: loaded.onBoard,
      arrival: discharged.vessel,
      rob: discharged.onBoard,
      outturn: discharged.shore,
      loadedApart: loaded.apart,
      dischargedApart: discharged.apart,
      unlike,
      loadFactor,
      dischargeFactor,
    });
    const missing = loadings.length + discharges.length === 0 ? 'It is neither a loading nor a discharge.' : null;
    return { ...found, loadings, discharges, reason: trip.reason ?? missing };
  }

  /**
   * The jobs of the same vessel and trip, oldest first, excluding cancelled jobs and those shared with another vessel; a job
   * without a trip number stands alone, and so does a cancelled one without others.
   */
  async #tripOf(job: Entity): Promise<Trip> {
    const vessels = await this.#experience.vesselsOf(job);
    if (vessels.length !== 1) {
      return {
        vessel: undefined,
        jobs: [job],
        reason: `The job names ${vessels.length} vessels: no voyage is that of one.`,
      };
    }
    const vessel = await this.#load.catalogRecord(vessels[0]);
    const trip = tripOf(job);
    if (!vessel || trip === undefined) {
      return {
        vessel,
        jobs: [job],
        reason: vessel ? 'The job has no trip number: it stands alone.' : 'The vessel is not known.',
      };
    }
    const { jobs: all, isMore } = await this.#jobsOfTrip(vessel, trip);
    const ofTrip = all.filter((one) => one.id !== job.id && tripOf(one) === trip && !isCancelled(one));
    const named = await Promise.all(ofTrip.map((one) => this.#experience.vesselsOf(one)));
    const others = ofTrip.filter((_, at) => named[at]?.length === 1);
    const jobs = (isCancelled(job) && others.length > 0 ? others : [job, ...others]).sort(
      (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1),
    );
    const reason = isMore ? 'Only the newest jobs of the trip are counted: there are too many.' : null;
    return { vessel, jobs, reason };
  }

  /** The loadings and discharges of a vessel and its synonyms on a trip. */
  async #jobsOfTrip({ id, workspaceId }: Entity, trip: string): Promise<SomeJobs> {
    const group = await this.#load.synonymIds({ id, workspaceId });
    const lists = await Promise.all(
      group.map((one) => this.#load.jobsOfTrip({ vessel: { id: one, workspaceId }, trip })),
    );
    const jobs = new Map(lists.flatMap((list) => list.jobs.map((job) => [job.id, job])));
    return { jobs: [...jobs.values()], isMore: lists.some(({ isMore }) => isMore) };
  }

  /** The sum of the figures of the jobs of one kind. */
  async #figuresOf(jobs: readonly Entity[], kind: VoyageKind, measurement: string) {
    const [vesselSide, shoreSide] = kind === 'load' ? ['destination', 'source'] : ['source', 'destination'];
    const sides = await Promise.all(
      jobs.map(async (job) => {
        const { all } = await this.#facts.quantity(job);
        const side = (direction: string | undefined): readonly Measurement[] | undefined =>
          all.find((result) => result.direction === direction)?.measurements;
        return { vessel: side(vesselSide), shore: side(shoreSide) };
      }),
    );
    const none = `There is no ${kind === 'load' ? 'loading' : 'discharge'}.`;
    const measured = sides.map((one) => sideFigure(one.vessel ?? [], measurement, 'vessel'));
    const vessel = sumOf(measured, none);
    const apart = (await this.#areAtOnePlace(jobs)) ? undefined : measuredApart(kind);
    const named = kind === 'load' ? 'OBQ' : 'ROB';
    const reported = sides.map((one) => onBoard(one.vessel ?? [], named));
    const quantities = reported.flatMap((quantity) => quantity ?? []);
    const unreported = measured.find((figure, at) => !reported[at] && 'reason' in figure);
    const zero: VoyageSum = 'value' in vessel ? { value: new Decimal(0), unit: vessel.unit } : vessel;
    const isUnknown = apart !== undefined && quantities.length < jobs.length && 'value' in vessel;
    return {
      vessel,
      shore: sumOf(
        sides.map((one) => sideFigure(one.shore ?? [], measurement, 'shore')),
        none,
      ),
      onBoard: isUnknown
        ? { reason: notReported(kind, named) }
        : (unreported ?? (quantities.length > 0 ? sumOf(quantities, none) : zero)),
      apart,
    };
  }

  /** Whether jobs name the same place or its synonyms, or none of them names any. */
  async #areAtOnePlace(jobs: readonly Entity[]): Promise<boolean> {
    const places = [...new Set(jobs.map((job) => job.at('location') ?? undefined))];
    if (places.length < 2) return true;
    await this.#known.learnGroupsOf(places, jobs[0]?.workspaceId ?? null);
    return new Set(places.map((place) => this.#known.groupOf(place) ?? place)).size === 1;
  }

  /** Why loadings and discharges are not comparable: of some grades they name both, and of others only one. */
  async #whyUnlike(loadings: readonly Entity[], discharges: readonly Entity[]): Promise<string | undefined> {
    const named = [loadings, discharges].map((jobs) => jobs.map(productsOf));
    if (named.flat().includes(undefined)) return undefined;
    const products = named.map((ofJobs) => ofJobs.flatMap((ofJob) => ofJob ?? []));
    await this.#known.learnGroupsOf(products.flat(), loadings[0]?.workspaceId ?? null);
    const [loaded, discharged] = products.map((ids) => new Set(ids.map((id) => this.#known.groupOf(id) ?? id)));
    if (!loaded || !discharged || loaded.isDisjointFrom(discharged)) return undefined;
    const reasons = [
      ...(loaded.isSubsetOf(discharged) ? [] : [ONLY_LOADED]),
      ...(discharged.isSubsetOf(loaded) ? [] : [ONLY_DISCHARGED]),
    ];
    return reasons.join(' ') || undefined;
  }

  /** The quantity loaded according to the load port information of the discharges. */
  async #billOfLading(discharges: readonly Entity[], measurement: string): Promise<VoyageSum | undefined> {
    const facts = await Promise.all(discharges.map((job) => this.#facts.loadPorts(job)));
    const note = facts.find((ofJob) => ofJob.note !== undefined)?.note;
    if (note !== undefined) return { reason: note };
    const reports = facts.map(({ all }) => all);
    if (reports.length === 0 || reports.some((ofJob) => ofJob.length === 0)) return undefined;
    return sumOf(
      reports.flat().map(({ measurements }) => sideFigure(measurements, measurement, 'bill of lading')),
      'There is no bill of lading.',
    );
  }

  /** The factor from the request, otherwise that of the vessel's other voyages. */
  async #factor({ vessel, jobs }: Trip, kind: VoyageKind, request: VoyageRequest): Promise<VoyageFactor> {
    const given = request[`${kind}Factor`];
    if (typeof given === 'number') return { factor: new Decimal(given) };
    const noFactor = `There is no ${kind} factor`;
    if (!vessel) return { reason: `${noFactor}: the vessel is not known.` };
    const without = new Set(jobs.map(({ id }) => id));
    const terms = { ...PRIMARY_METHOD, measurement: request.measurement, without };
    const { factor, reason } = await this.#experience.factorOf(vessel, kind, terms);
    return factor === null ? { reason: `${noFactor}: ${reason ?? ''}` } : { factor: new Decimal(factor) };
  }
}

const ONLY_LOADED = 'A product was loaded that no discharge names: what is missing need not be lost.';
const ONLY_DISCHARGED = 'A product was discharged that no loading names: what is in excess need not be a gain.';

/** How many products of a job are looked up. */
const MOST_PRODUCTS = 100;

/** The products that a job names; undefined if it names none, or more than are looked up. */
function productsOf(job: Entity): readonly string[] | undefined {
  const cargoes = job.at('cargoes');
  const listed = Array.isArray(cargoes) ? cargoes.map((cargo) => valueAt(cargo, ['product', 'id'])) : [];
  const products = new Set([job.at('cargo', 'product'), ...listed].filter((id) => typeof id === 'string'));
  return products.size > 0 && products.size <= MOST_PRODUCTS ? [...products] : undefined;
}

const isCancelled = (job: Entity): boolean => job.at('status') === 'cancelled';

const measuredApart = (kind: VoyageKind): string =>
  `The ${kind === 'load' ? 'loadings' : 'discharges'} do not name one place: what was on board at each of them is not added up.`;

const notReported = (kind: VoyageKind, named: string): string =>
  `The ${kind === 'load' ? 'loadings' : 'discharges'} do not name one place, and not each of them reports ${named}: it is zero only where nothing goes on to another port.`;

function sumOf(figures: readonly VoyageSum[], none: string): VoyageSum {
  if (figures.length === 0) return { reason: none };
  const unknown = figures.find((figure) => 'reason' in figure);
  return unknown ?? total(figures as readonly VoyageFigure[]);
}

/** No vessel measures ten times what the shore does. */
const FACTORS = [0.1, 10] as const;

/** INVALID_INPUT names every invalid argument. */
export function refuseVoyageRequest({ measurement, ...factors }: VoyageRequest): void {
  const violations = [...rangeViolations({ ...factors }, FACTORS), ...lengthViolations({ measurement })];
  if (measurement.trim() === '') violations.push({ parameter: 'measurement', message: 'must not be empty.' });
  throwIfInvalid(violations);
}
