import { amountOf, Decimal, decimalOf, isAmount } from './decimal.ts';
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
  /** The value as a number, where it was reported as one and nothing was added to it. */
  readonly plain: number | undefined;
  readonly reason: string | undefined;
  /** Code and name as they are compared. */
  readonly codeKey: string;
  readonly nameKey: string;
}

/** How codes and names are compared: letter case and surrounding space do not matter. */
const key = (text: string | undefined): string => text?.trim().toLowerCase() ?? '';
const labelOf = ({ code, name }: Pick<Measurement, 'code' | 'name'>): string => code ?? name ?? 'without code and name';

const isSame = (a: Figure, b: Figure): boolean =>
  (a.codeKey !== '' && a.codeKey === b.codeKey) || (a.nameKey !== '' && a.nameKey === b.nameKey);

/** Whether a figure goes by that code or name. */
export const isCalled = ({ code, name }: Pick<Figure, 'code' | 'name'>, wanted: string): boolean =>
  key(wanted) !== '' && (key(code) === key(wanted) || key(name) === key(wanted));

/** The figures of one side; a code or name that stands there twice has no figure, since it is unknown which one counts. */
export function figuresOf(measurements: readonly Measurement[]): Figure[] {
  const all = measurements.map(figureOf);
  if (areDistinct(all)) return all;
  const figures: Figure[] = [];
  for (const figure of all) {
    if (figures.some((known) => isSame(known, figure))) continue;
    const same = all.filter((other) => isSame(other, figure)).length;
    const reason = `${labelOf(figure)} is reported ${same} times on one side.`;
    figures.push(same > 1 ? withoutValue(figure, reason) : figure);
  }
  return figures;
}

/** Whether no code and no name stands there twice. */
function areDistinct(figures: readonly Figure[]): boolean {
  const [codes, names] = [new Set<string>(), new Set<string>()];
  return figures.every(({ codeKey, nameKey }) => isNew(codes, codeKey) && isNew(names, nameKey));
}

function isNew(seen: Set<string>, text: string): boolean {
  if (text === '') return true;
  if (seen.has(text)) return false;
  seen.add(text);
  return true;
}

function figureOf({ code, name, unit, value }: Measurement): Figure {
  if (typeof value === 'number' && isAmount(value)) return new PlainFigure({ code, name, unit }, value);
  const read = amountOf(value);
  return {
    code,
    name,
    unit,
    value: read,
    plain: undefined,
    reason: read ? undefined : `The value of ${labelOf({ code, name })} is ${faultOf(value)}.`,
    codeKey: key(code),
    nameKey: key(name),
  };
}

/** A figure that was reported as a number; few of them are ever needed in decimals. */
class PlainFigure implements Figure {
  readonly code: string | undefined;
  readonly name: string | undefined;
  readonly unit: UnitOfMeasure | undefined;
  readonly plain: number;
  readonly reason = undefined;
  readonly codeKey: string;
  readonly nameKey: string;
  #value: Decimal | undefined;

  constructor({ code, name, unit }: Pick<Measurement, 'code' | 'name' | 'unit'>, plain: number) {
    this.code = code;
    this.name = name;
    this.unit = unit;
    this.plain = plain;
    this.codeKey = key(code);
    this.nameKey = key(name);
  }

  get value(): Decimal {
    this.#value ??= new Decimal(this.plain);
    return this.#value;
  }
}

const withoutValue = (figure: Figure, reason: string | undefined): Figure => ({
  ...figure,
  value: undefined,
  plain: undefined,
  reason,
});

function faultOf(value: unknown): string {
  if (value === undefined || value === null) return 'missing';
  return decimalOf(value) ? 'no amount: it must be 0, or from 10⁻¹⁵ to 10¹⁵' : 'not a number';
}

/** The figure of the other side that means the same: by code, else by name. */
export function counterpartOf({ codeKey, nameKey }: Figure, others: readonly Figure[]): Figure | undefined {
  const sameCode = codeKey === '' ? undefined : others.find((other) => codeKey === other.codeKey);
  return sameCode ?? (nameKey === '' ? undefined : others.find((other) => nameKey === other.nameKey));
}

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
  if (!other.value) return withoutValue(figure, other.reason);
  const factor = factorBetween(other.unit, figure.unit);
  if ('reason' in factor) return withoutValue(figure, factor.reason);
  return { ...figure, value: figure.value.plus(other.value.times(factor.factor)), plain: undefined };
}

const lacking = (figure: Figure, noun: string): Figure =>
  withoutValue(figure, `Not every ${noun} has ${labelOf(figure)}.`);
