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

/** Whether a figure goes by that code or name. */
export const isCalled = ({ code, name }: Pick<Figure, 'code' | 'name'>, wanted: string): boolean =>
  key(wanted) !== '' && (key(code) === key(wanted) || key(name) === key(wanted));

/** The figures of one side; a code or name that stands there twice has no figure, since it is unknown which one counts. */
export function figuresOf(measurements: readonly Measurement[]): Figure[] {
  const all = measurements.map(figureOf);
  if (areDistinct(all)) return all;
  const [codes, names] = [new Set<string>(), new Set<string>()];
  const timesOf = timesIn(all);
  return all.flatMap((figure) => {
    const { codeKey, nameKey } = figure;
    if (codes.has(codeKey) || names.has(nameKey)) return [];
    if (codeKey !== '') codes.add(codeKey);
    if (nameKey !== '') names.add(nameKey);
    const times = timesOf(figure);
    const reason = `${labelOf(figure)} is reported ${times} times on one side.`;
    return times > 1 ? withoutValue(figure, reason) : figure;
  });
}

/** How many figures have the code or the name of one; of a report, there may be any number. */
function timesIn(all: readonly Figure[]): (figure: Figure) => number {
  const keysOf = ({ codeKey, nameKey }: Figure) => {
    const [code, name] = [codeKey && `code ${codeKey}`, nameKey && `name ${nameKey}`];
    return { code, name, both: code && name && JSON.stringify([code, name]) };
  };
  const counts = new Map<string, number>();
  for (const key of all.map(keysOf).flatMap(({ code, name, both }) => [code, name, both])) {
    if (key !== '') counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return (figure) => {
    const { code, name, both } = keysOf(figure);
    const of = (key: string) => counts.get(key) ?? 0;
    return of(code) + of(name) - of(both);
  };
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

/** The figures of the other side, found by what means the same: by code, else by name. */
export class Counterparts {
  readonly #byCode = new Map<string, Figure>();
  readonly #byName = new Map<string, Figure>();

  constructor(others: readonly Figure[]) {
    for (const other of others.toReversed()) {
      if (other.codeKey !== '') this.#byCode.set(other.codeKey, other);
      if (other.nameKey !== '') this.#byName.set(other.nameKey, other);
    }
  }

  of({ codeKey, nameKey }: Figure): Figure | undefined {
    return this.#byCode.get(codeKey) ?? this.#byName.get(nameKey);
  }
}

/** The figures of several reports added up, in the unit of the first; one that not all of them have is refused. */
export function summed(reports: readonly (readonly Measurement[])[], noun: string): Figure[] {
  const [first = [], ...rest] = reports.map(figuresOf);
  return rest.reduce<readonly Figure[]>((sum, next) => {
    const [before, added] = [new Counterparts(sum), new Counterparts(next)];
    const extra = next.filter((figure) => !before.of(figure)).map((figure) => lacking(figure, noun));
    return [...sum.map((figure) => plus(figure, added.of(figure), noun)), ...extra];
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
