import { amountOf, type Decimal, decimalOf } from './decimal.ts';
import { factorBetween, type UnitOfMeasure } from './units.ts';

/** One measured value as it was reported. */
export interface Measurement {
  readonly code: string | undefined;
  readonly name: string | undefined;
  readonly unit: UnitOfMeasure | undefined;
  readonly value: unknown;
}

/** One quantity of one side: a figure, or the reason why there is none. */
export interface Figure {
  readonly code: string | undefined;
  readonly name: string | undefined;
  readonly unit: UnitOfMeasure | undefined;
  readonly value: Decimal | undefined;
  readonly reason: string | undefined;
}

/** How codes and names are compared: letter case and surrounding space do not matter. */
const key = (text: string | undefined): string => text?.trim().toLowerCase() ?? '';
const labelOf = ({ code, name }: Pick<Measurement, 'code' | 'name'>): string => code ?? name ?? 'without code and name';

const isSame = (a: Figure, b: Figure): boolean =>
  (key(a.code) !== '' && key(a.code) === key(b.code)) || (key(a.name) !== '' && key(a.name) === key(b.name));

/** Whether a figure goes by that code or name. */
export const isCalled = ({ code, name }: Pick<Figure, 'code' | 'name'>, wanted: string): boolean =>
  key(wanted) !== '' && (key(code) === key(wanted) || key(name) === key(wanted));

/** The figures of one side; a code or name that stands there twice has no figure, since it is unknown which one counts. */
export function figuresOf(measurements: readonly Measurement[]): Figure[] {
  const all = measurements.map(figureOf);
  const figures: Figure[] = [];
  for (const figure of all) {
    if (figures.some((known) => isSame(known, figure))) continue;
    const same = all.filter((other) => isSame(other, figure)).length;
    const reason = `${labelOf(figure)} is reported ${same} times on one side.`;
    figures.push(same > 1 ? { ...figure, value: undefined, reason } : figure);
  }
  return figures;
}

function figureOf({ code, name, unit, value }: Measurement): Figure {
  const read = amountOf(value);
  const reason = read ? undefined : `The value of ${labelOf({ code, name })} is ${faultOf(value)}.`;
  return { code, name, unit, value: read, reason };
}

function faultOf(value: unknown): string {
  if (value === undefined || value === null) return 'missing';
  return decimalOf(value) ? 'no amount: it must be 0, or from 10⁻¹⁵ to 10¹⁵' : 'not a number';
}

/** The figure of the other side that means the same: by code, else by name. */
export const counterpartOf = (figure: Figure, others: readonly Figure[]): Figure | undefined =>
  others.find((other) => key(figure.code) !== '' && key(figure.code) === key(other.code)) ??
  others.find((other) => key(figure.name) !== '' && key(figure.name) === key(other.name));

/** The figures of several reports added up, in the unit of the first; one that not all of them have is refused. */
export function summed(reports: readonly (readonly Measurement[])[], noun: string): Figure[] {
  const [first = [], ...rest] = reports.map(figuresOf);
  return rest.reduce<readonly Figure[]>((sum, next) => {
    const extra = next.filter((figure) => !counterpartOf(figure, sum)).map((figure) => lacking(figure, noun));
    return [...sum.map((figure) => plus(figure, counterpartOf(figure, next), noun)), ...extra];
  }, first) as Figure[];
}

function plus(figure: Figure, other: Figure | undefined, noun: string): Figure {
  if (!figure.value) return figure;
  if (!other) return lacking(figure, noun);
  if (!other.value) return { ...figure, value: undefined, reason: other.reason };
  const factor = factorBetween(other.unit, figure.unit);
  if ('reason' in factor) return { ...figure, value: undefined, reason: factor.reason };
  return { ...figure, value: figure.value.plus(other.value.times(factor.factor)) };
}

const lacking = (figure: Figure, noun: string): Figure => ({
  ...figure,
  value: undefined,
  reason: `Not every ${noun} has ${labelOf(figure)}.`,
});
