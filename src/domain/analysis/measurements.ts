import { isAmount } from '../../model/document-types/measurement.ts';
import { AMOUNTS, amountOf, Decimal, decimalOf } from './decimal.ts';
import type { UnitOfMeasure } from './units.ts';

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
  /** The value as a number, if it was reported as one and nothing was added to it. */
  readonly plain: number | undefined;
  readonly reason: string | undefined;
  /** Code and name in the form used for comparison. */
  readonly codeKey: string;
  readonly nameKey: string;
  /** The other names that its code was reported under on the same side. */
  readonly otherNameKeys?: readonly string[];
}

/** Codes and names compare without letter case and surrounding space. */
const key = (text: string | undefined): string => text?.trim().toLowerCase() ?? '';
/** The identity of a figure: its code, else its name. Figures of one side with the same identity are one figure, reported repeatedly. */
export const identityOf = ({ codeKey, nameKey }: Figure): string => codeKey || nameKey;
export const labelOf = ({ code, name }: Pick<Measurement, 'code' | 'name'>): string =>
  code ?? name ?? 'without code and name';

const known = new WeakMap<readonly Measurement[], readonly Figure[]>();

/** The figures of one side, cached; a figure reported twice has no value, since either may be the right one. */
export function figuresOf(measurements: readonly Measurement[]): readonly Figure[] {
  const found = known.get(measurements) ?? figuresIn(measurements);
  known.set(measurements, found);
  return found;
}

function figuresIn(measurements: readonly Measurement[]): readonly Figure[] {
  const all = measurements.map(figureOf);
  const meant = (figure: Figure): unknown => identityOf(figure) || figure;
  if (new Set(all.map(meant)).size === all.length) return all;
  return [...Map.groupBy(all, meant).values()].map((same) => {
    const figure = same.reduce(foremost);
    if (same.length === 1) return figure;
    const names = new Set(same.map(({ nameKey }) => nameKey));
    names.delete(figure.nameKey);
    return { ...repeated(figure, labelOf(figure), same.length), otherNameKeys: [...names] };
  });
}

/** Of two figures with the same identity, the one to represent both, regardless of their order. */
function foremost(one: Figure, other: Figure): Figure {
  if (one.codeKey !== other.codeKey) return one.codeKey === '' ? other : one;
  return other.nameKey < one.nameKey ? other : one;
}

const repeated = (figure: Figure, label: string, times: number): Figure =>
  withoutValue(figure, `${label} is reported ${times} times on one side.`);

/** Figures by code and by name, in their original order. */
interface Called {
  readonly byCode: ReadonlyMap<string, readonly Figure[]>;
  readonly byName: ReadonlyMap<string, readonly Figure[]>;
}

const indexed = new WeakMap<readonly Figure[], Called>();

function indexOf(figures: readonly Figure[]): Called {
  const index = indexed.get(figures) ?? {
    byCode: Map.groupBy(figures, ({ codeKey }) => codeKey),
    byName: figuresByName(figures),
  };
  indexed.set(figures, index);
  return index;
}

function figuresByName(figures: readonly Figure[]): Map<string, Figure[]> {
  const found = new Map<string, Figure[]>();
  for (const figure of figures) {
    for (const name of [figure.nameKey, ...(figure.otherNameKeys ?? [])]) {
      const named = found.get(name);
      if (named) named.push(figure);
      else found.set(name, [figure]);
    }
  }
  return found;
}

/** The figure with the first of these codes that is present, else with one of these names; without a value if several have such a name. */
export function figureCalled(figures: readonly Figure[], ...called: readonly string[]): Figure | undefined {
  const keys = called.map(key).filter(Boolean);
  const { byCode, byName } = indexOf(figures);
  for (const code of keys) {
    const [found] = byCode.get(code) ?? [];
    if (found) return found;
  }
  const [first, ...others] = keys.flatMap((name) => byName.get(name) ?? []);
  return first && others.length > 0 ? repeated(first, first.name ?? '', others.length + 1) : first;
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

/** A figure that was reported as a number; few of them are ever needed as decimals. */
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

export const withoutValue = (figure: Figure, reason: string | undefined): Figure => ({
  ...figure,
  value: undefined,
  plain: undefined,
  reason,
});

function faultOf(value: unknown): string {
  if (value === undefined || value === null) return 'missing';
  return decimalOf(value) ? `no amount: ${AMOUNTS}` : 'not a number';
}

/** Whether a figure is a zero without a unit, which is zero in any unit. */
export const isBareZero = ({ value, unit }: Pick<Figure, 'value' | 'unit'>): boolean =>
  value?.isZero() === true && unit === undefined;

/** Matches the figures of one side with those of another, by code or name, each at most once. */
export function pairsOf(ones: readonly Figure[], others: readonly Figure[]): ReadonlyMap<Figure, Figure> {
  const pairs = new Map<Figure, Figure>();
  const identified = new Map(others.map((other) => [identityOf(other), other]));
  for (const one of ones) {
    const other = identityOf(one) === '' ? undefined : identified.get(identityOf(one));
    if (other) pairs.set(one, other);
  }
  const rest = ones.filter((one) => !pairs.has(one));
  const taken = new Set(pairs.values());
  if (rest.length === 0 || taken.size === others.length) return pairs;
  const [named, namedOther] = [soleByName(ones), soleByName(others)];
  for (const one of rest) {
    const other = namedOther.get(one.nameKey);
    if (!other || taken.has(other) || named.get(one.nameKey) !== one) continue;
    if (one.codeKey === '' || other.codeKey === '') pairs.set(one, other);
  }
  return pairs;
}

/** The figures of a side by name; undefined if several share a name, since the name is ambiguous. */
export function soleByName(figures: readonly Figure[]): ReadonlyMap<string, Figure | undefined> {
  const found = new Map<string, Figure | undefined>();
  for (const figure of figures) {
    if (figure.nameKey !== '') found.set(figure.nameKey, found.has(figure.nameKey) ? undefined : figure);
  }
  return found;
}
