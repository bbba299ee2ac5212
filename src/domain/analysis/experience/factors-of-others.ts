import type { UnitOfMeasure } from '../units.ts';
import {
  commonUnitOf,
  conversionKey,
  type ExperienceTerms,
  experienceFactorOf,
  isRatedIn,
} from './experience-factor.ts';
import { type CombinedVoyage, type Grade, voyagesOf } from './voyages.ts';

/** The factors by which the jobs of a vessel are judged: for each job, that of the other voyages, without its own. */
export interface FactorsOfOthers {
  /** Computed on demand; null if the others have none. Jobs that take no part are judged by all voyages. */
  factorFor(job: string): number | null;
}

type Voyage = CombinedVoyage<Grade>;

/** The factors for the jobs of one vessel, from the grades of its voyages of one kind. */
export function factorsOfOthers(grades: readonly Grade[], terms: ExperienceTerms): FactorsOfOthers {
  const voyages = voyagesOf(grades);
  const { factor, used, leftOut } = experienceFactorOf(voyages, terms);
  const tooOld = leftOut.filter(({ code }) => code === 'TOO_OLD').map(({ voyage }) => voyage);
  const isOld = new Set(tooOld);
  const rated = [...used, ...leftOut.filter(({ ratio }) => ratio !== null)].map(({ voyage }) => voyage);
  // If units do not convert, any voyage may decide which of them counts; otherwise only the newest does.
  const areMixed = leftOut.some(({ code, ratio }) => code === 'MISSING_FIGURE' && ratio !== null);
  const newest = voyages.find((voyage) => rated.includes(voyage));
  const [next] = tooOld;
  const near = next ? voyages.slice(0, voyages.indexOf(next) + 1) : voyages;
  const deciding = areMixed ? rated : rated.filter((one) => !isOld.has(one));
  const voyageOf = new Map(deciding.flatMap((voyage) => voyage.grades.map(({ id }) => [id, voyage] as const)));
  const known = new Map<Voyage, number | null>();

  const convertible = new Map<string, readonly Voyage[]>();
  /** The newest voyages in a unit: one more than may count. */
  const newestIn = (unit: UnitOfMeasure | undefined): readonly Voyage[] => {
    const key = conversionKey(unit);
    const found = convertible.get(key) ?? firstOf(voyages, (voyage) => isRatedIn(voyage, unit), terms.voyages + 1);
    convertible.set(key, found);
    return found;
  };
  const factorWithout = (voyage: Voyage): number | null => {
    const without = (all: readonly Voyage[]) => all.filter((other) => other !== voyage);
    if (!areMixed) return experienceFactorOf(without(voyage === newest ? voyages : near), terms).factor;
    const unit = commonUnitOf(without(voyages));
    return experienceFactorOf(without(newestIn(unit)), terms, unit).factor;
  };
  return {
    factorFor: (job) => {
      const voyage = voyageOf.get(job);
      if (voyage === undefined) return factor;
      const found = known.get(voyage);
      if (found !== undefined) return found;
      const computed = factorWithout(voyage);
      known.set(voyage, computed);
      return computed;
    },
  };
}

function firstOf<T>(all: readonly T[], isWanted: (one: T) => boolean, most: number): T[] {
  const found: T[] = [];
  for (const one of all) {
    if (found.length === most) break;
    if (isWanted(one)) found.push(one);
  }
  return found;
}
