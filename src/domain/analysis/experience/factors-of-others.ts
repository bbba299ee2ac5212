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
  // Where units do not convert, any voyage may decide which of them counts; else the newest alone does.
  const areMixed = leftOut.some(({ code, ratio }) => code === 'MISSING_FIGURE' && ratio !== null);
  const newest = voyages.find((voyage) => rated.includes(voyage));
  const [next] = tooOld;
  const near = next ? voyages.slice(0, voyages.indexOf(next) + 1) : voyages;
  const without = new Map<string, number | null>();
  for (const voyage of areMixed ? rated : rated.filter((one) => !isOld.has(one))) {
    const others = (areMixed || voyage === newest ? voyages : near).filter((other) => other !== voyage);
    const { factor: ofOthers } = experienceFactorOf<CombinedVoyage<Grade>>(others, terms);
    for (const { id } of voyage.grades) without.set(id, ofOthers);
  }
  return { factor, without };
}

/** The factor without the voyage of a job. */
export const factorWithout = (job: string, { factor, without }: FactorsOfOthers): number | null =>
  without.has(job) ? (without.get(job) ?? null) : factor;
