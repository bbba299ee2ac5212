import { factorsOfOthers } from '../domain/analysis/experience/factors-of-others.ts';
import type { FigureRule } from '../domain/analysis/figure-audit/audit-rules.ts';
import { misjudgedRatios } from '../domain/analysis/figure-audit/kept-voyages.ts';
import { PRIMARY_METHOD } from '../domain/job-analysis/experience.ts';
import { gradeOfShare, type SharedGrade } from '../domain/job-analysis/voyage-shares.ts';
import { VOYAGES } from '../model/document-types/job.ts';
import { isOfEarlierVersion } from '../store/figure-audits/kept-audit.ts';
import type { ComparedVoyage, VoyageShare } from '../store/figure-audits/kept-audits.ts';

/** The rule whose verdict depends on the other voyages of the vessel. */
const OF_THE_VESSEL: FigureRule = 'SHIP_SHORE_FACTOR';

/** What jobs contribute to the factors of their vessels, read from their kept audits. */
export const gradesOf = (shares: readonly VoyageShare[]): SharedGrade[] =>
  shares.flatMap(({ _id, voyage }) =>
    typeof voyage === 'object' && voyage.share !== '' ? gradeOfShare(_id, voyage.share) : [],
  );

/** The jobs of a vessel whose kept verdict does not follow from these grades, or for which that is unknown. */
export function misjudgedVoyages(compared: readonly ComparedVoyage[], grades: readonly SharedGrade[]): string[] {
  const unknown = compared.filter(isOfEarlierVersion).map(({ _id }) => _id);
  const known = VOYAGES.flatMap((kind) => {
    const ratios = compared.flatMap(({ _id, voyage, findings }) => {
      const isBroken = findings.some(({ rule }) => rule === OF_THE_VESSEL);
      return voyage?.kind === kind ? { job: _id, ratio: voyage.ratio, isBroken } : [];
    });
    const ofKind = grades.filter((grade) => grade.kind === kind);
    return ratios.length > 0 ? misjudgedRatios(ratios, factorsOfOthers(ofKind, PRIMARY_METHOD)) : [];
  });
  return [...unknown, ...known];
}
