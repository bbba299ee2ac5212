import { type ExperienceTerms, experienceFactorOf } from './experience-factor.ts';
import { type CombinedVoyage, type Grade, voyagesOf } from './voyages.ts';

/** The factors that the jobs of a vessel are judged by: each by that of the others. */
export interface FactorsOfOthers {
  /** That of all voyages, for the jobs that take no part in it. */
  readonly factor: number | null;
  /** For each job that takes part: the factor without its voyage. */
  readonly without: ReadonlyMap<string, number | null>;
}

/** The factor of these grades of one vessel and activity, and those without the voyage of each job that takes part. */
export function factorsOfOthers(grades: readonly Grade[], terms: ExperienceTerms): FactorsOfOthers {
  const voyages = voyagesOf(grades);
  const { factor, used, leftOut } = experienceFactorOf(voyages, terms);
  const tooOld = leftOut.filter(({ code }) => code === 'TOO_OLD').map(({ voyage }) => voyage);
  const isOld = new Set(tooOld);
  const rated = [...used, ...leftOut.filter(({ ratio }) => ratio !== null)].map(({ voyage }) => voyage);
  // The figures are compared in the unit of the newest voyage that may count, even if it has no ratio itself.
  const newest = voyages.find(({ problem }) => problem === undefined);
  const [next] = tooOld;
  const near = next ? voyages.slice(0, voyages.indexOf(next) + 1) : voyages;
  const without = new Map<string, number | null>();
  for (const voyage of new Set([...(newest ? [newest] : []), ...rated.filter((one) => !isOld.has(one))])) {
    const others = (voyage === newest ? voyages : near).filter((other) => other !== voyage);
    const { factor: ofOthers } = experienceFactorOf<CombinedVoyage<Grade>>(others, terms);
    for (const { id } of voyage.grades) without.set(id, ofOthers);
  }
  return { factor, without };
}
