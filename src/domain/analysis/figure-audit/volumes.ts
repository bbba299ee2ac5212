import { Decimal } from '../decimal.ts';
import { figureCalled, isBareZero } from '../measurements.ts';
import { factorBetween, knownUnitOf, type UnitOfMeasure } from '../units.ts';
import type { QuantityReport } from './audit-facts.ts';

/** A volume of a report, in its unit. */
interface Volume {
  readonly value: Decimal;
  readonly unit: UnitOfMeasure | undefined;
}

type Figures = Pick<QuantityReport<unknown>, 'figures'>;

/** The measurement of a report with that code or name. */
export function volumeOf({ figures }: Figures, ...names: readonly string[]): Volume | undefined {
  const found = figureCalled(figures, ...names);
  return found?.value && { value: found.value, unit: found.unit };
}

/** The volume in the unit of another; undefined if it does not convert. If neither has a unit, they are assumed to be the same. */
export function inUnitOf(volume: Volume | undefined, other: Volume | undefined): Decimal | undefined {
  if (!volume || !other) return undefined;
  if (!volume.unit && !other.unit) return volume.value;
  const factor = factorBetween(volume.unit, other.unit);
  return 'reason' in factor ? undefined : volume.value.times(factor.factor);
}

/** The gross observed volume: as reported, otherwise TOV less free water. */
export const grossObserved = (report: Figures): Volume | undefined =>
  volumeOf(report, 'GOV') ?? less(volumeOf(report, 'TOV'), volumeOf(report, 'FW'));

/** The gross standard volume: as reported, otherwise TCV less free water. */
export const grossStandard = (report: Figures): Volume | undefined =>
  volumeOf(report, 'GSV') ?? less(volumeOf(report, 'TCV'), volumeOf(report, 'FW'));

function less(whole: Volume | undefined, part: Volume | undefined): Volume | undefined {
  const taken = part && isBareZero(part) ? part.value : inUnitOf(part, whole);
  return whole && taken && { value: whole.value.minus(taken), unit: whole.unit };
}

/** GSV ÷ GOV, and the standard temperature in the unit of the GSV; undefined unless both are volumes above zero. */
export function observedFactor(
  report: Figures,
): { readonly ratio: Decimal; readonly standard: string | undefined } | undefined {
  const [gsv, gov] = [grossStandard(report), grossObserved(report)];
  const observed = inUnitOf(gov, gsv);
  if (!gsv || !observed?.gt(0) || !gsv.value.gt(0)) return undefined;
  return { ratio: new Decimal(gsv.value).div(observed), standard: gsv.unit && knownUnitOf(gsv.unit)?.condition };
}
