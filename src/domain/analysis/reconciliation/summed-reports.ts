import {
  type Figure,
  figuresOf,
  identityOf,
  labelOf,
  type Measurement,
  soleByName,
  withoutValue,
} from '../measurements.ts';
import { factorBetween, unitOfSum } from '../units.ts';

const known = new WeakMap<readonly (readonly Measurement[])[], readonly Figure[]>();

/** The totals of several reports, in the unit of the first; a figure missing from any of them has no value. Cached by the list. */
export function summed(reports: readonly (readonly Measurement[])[], noun: string): readonly Figure[] {
  const found = known.get(reports) ?? totalsOf(reports, noun);
  known.set(reports, found);
  return found;
}

function totalsOf(reports: readonly (readonly Measurement[])[], noun: string): readonly Figure[] {
  const totals = new Totals(noun);
  for (const report of reports) totals.add(figuresOf(report));
  return totals.figures();
}

/** A figure of the reports so far, and the last of them that has it. */
interface Total {
  figure: Figure;
  last: number;
}

/** Adds up reports; each touches only the figures that it has. */
class Totals {
  readonly #noun: string;
  readonly #all: Total[] = [];
  readonly #byIdentity = new Map<string, Total>();
  /** Undefined if several share the name. */
  readonly #byName = new Map<string, Total | undefined>();
  #reports = 0;

  constructor(noun: string) {
    this.#noun = noun;
  }

  add(report: readonly Figure[]): void {
    const pairs = this.#pairsWith(report);
    this.#reports += 1;
    for (const figure of report) {
      const total = pairs.get(figure);
      if (total) this.#addTo(total, figure);
      else this.#append(this.#reports === 1 ? figure : this.#lacking(figure));
    }
  }

  /** Those that the last report lacks have no value either. */
  figures(): Figure[] {
    return this.#all.map((total) => this.#asOf(total, this.#reports));
  }

  /** The totals that the figures of a report belong to, each at most once, as `pairsOf` matches two sides. */
  #pairsWith(report: readonly Figure[]): ReadonlyMap<Figure, Total> {
    const pairs = new Map<Figure, Total>();
    const rest: Figure[] = [];
    for (const figure of report) {
      const total = this.#byIdentity.get(identityOf(figure));
      if (total) pairs.set(figure, total);
      else rest.push(figure);
    }
    const [taken, named] = [new Set(pairs.values()), soleByName(report)];
    for (const figure of rest) {
      const total = this.#byName.get(figure.nameKey);
      if (!total || taken.has(total) || named.get(figure.nameKey) !== figure) continue;
      if (figure.codeKey === '' || total.figure.codeKey === '') pairs.set(figure, total);
    }
    return pairs;
  }

  #addTo(total: Total, figure: Figure): void {
    const before = identityOf(total.figure);
    total.figure = plus(this.#asOf(total, this.#reports - 1), figure);
    total.last = this.#reports;
    if (identityOf(total.figure) === before) return;
    this.#byIdentity.delete(before);
    this.#byIdentity.set(identityOf(total.figure), total);
  }

  #append(figure: Figure): void {
    const total = { figure, last: this.#reports };
    this.#all.push(total);
    if (identityOf(figure) !== '') this.#byIdentity.set(identityOf(figure), total);
    const { nameKey } = figure;
    if (nameKey !== '') this.#byName.set(nameKey, this.#byName.has(nameKey) ? undefined : total);
  }

  /** A total after that many reports. */
  #asOf({ figure, last }: Total, reports: number): Figure {
    return last === reports || !figure.value ? figure : this.#lacking(figure);
  }

  #lacking(figure: Figure): Figure {
    return withoutValue(figure, `Not every ${this.#noun} has ${labelOf(figure)}.`);
  }
}

function plus(figure: Figure, other: Figure): Figure {
  if (!figure.value) return figure;
  if (!other.value) return withoutValue(figure, other.reason);
  const unit = unitOfSum([figure.unit, other.unit]);
  const [own, factor] = [factorBetween(figure.unit, unit), factorBetween(other.unit, unit)];
  if ('reason' in factor) return withoutValue(figure, factor.reason);
  if ('reason' in own) return withoutValue(figure, own.reason);
  const { code, codeKey } = figure.codeKey === '' ? other : figure;
  const value = figure.value.times(own.factor).plus(other.value.times(factor.factor));
  return { ...figure, code, codeKey, unit, value, plain: undefined };
}
