import type { VoyageKind } from '../../model/document-types/job.ts';
import { Decimal } from '../analysis/decimal.ts';
import type { LeftOutCode } from '../analysis/experience/left-out.ts';
import type { Grade, VoyageFigure } from '../analysis/experience/voyages.ts';
import { isSpelling, knownUnit } from '../analysis/units.ts';

/** A grade parsed from its share. */
export interface SharedGrade extends Grade {
  readonly kind: VoyageKind;
}

/**
 * What a job contributes to the factor of its vessel, as a text that changes only with the contribution; empty if there is
 * no contribution to any voyage.
 */
export function shareOfGrade({ date, trip, problem, vessel, shore }: Grade, kind: VoyageKind): string {
  if (problem && trip === undefined) return '';
  return JSON.stringify([kind, date, trip, problem?.code, briefly(vessel), briefly(shore)]);
}

/** More spellings than a unit has without synonyms. */
const FEW_SPELLINGS = 10;

/** A figure without the names of its unit that say nothing: very long ones, and those of many synonyms. */
function briefly(figure: VoyageFigure | undefined): VoyageFigure | undefined {
  if (!figure?.unit) return figure;
  const { id, spellings } = figure.unit;
  const short = spellings.filter(isSpelling);
  const known = short.length > FEW_SPELLINGS ? short.filter((one) => knownUnit(one) !== undefined) : short;
  return { ...figure, unit: { id, spellings: known.slice(0, FEW_SPELLINGS) } };
}

type Written<T> = T | null;
type WrittenFigure = Omit<VoyageFigure, 'value'> & { readonly value: string };
type WrittenShare = readonly [
  kind: VoyageKind,
  date: string,
  trip: Written<string>,
  problem: Written<LeftOutCode>,
  vessel: Written<WrittenFigure>,
  shore: Written<WrittenFigure>,
];

/** The grade from which such a text was made, without the sentence of its problem. */
export function gradeOfShare(job: string, share: string): SharedGrade {
  const [kind, date, trip, code, vessel, shore]: WrittenShare = JSON.parse(share);
  return {
    ...{ id: job, kind, date: new Date(date), trip: trip ?? undefined },
    ...(code && { problem: { code, reason: '' } }),
    ...(vessel && { vessel: figureOf(vessel) }),
    ...(shore && { shore: figureOf(shore) }),
  };
}

const figureOf = ({ value, unit }: WrittenFigure): VoyageFigure => ({ value: new Decimal(value), unit });
