import { convert } from 'convert';
import { Decimal } from './decimal.ts';

/** A unit of measure as a catalog has it: its record, and its spellings (name, xref, those of its synonyms). */
export interface UnitOfMeasure {
  readonly id: string;
  readonly spellings: readonly string[];
}

/** A known unit: what it measures, its size in the base unit (m³ or kg), and its condition. */
interface KnownUnit {
  readonly measures: 'volume' | 'mass';
  readonly symbol: string;
  readonly inBase: Decimal;
  /** The temperature of a standard volume, such as `15 °C`, or the medium of a mass: `air` or `vacuum`. */
  readonly condition: string | undefined;
}

type Factor = { readonly factor: Decimal } | { readonly reason: string };

const volume = (symbol: string, ofCubicMetre: Decimal) =>
  ({ measures: 'volume', symbol, inBase: ofCubicMetre }) as const;
const mass = (symbol: string, ofKilogram: Decimal) => ({ measures: 'mass', symbol, inBase: ofKilogram }) as const;

const LITRE = new Decimal(convert(1, 'liter').to('cubic meter'));
/** The library gives US gallons in litres, exactly. */
const GALLON = new Decimal(convert(1, 'gallon').to('liter')).times(LITRE);
const kilograms = (unit: 'tonne' | 'long ton' | 'short ton' | 'pound'): Decimal =>
  new Decimal(convert(1, unit).to('kilogram'));

/** The units of bulk cargoes, by the spellings that partners use; letter case, dots and plurals do not matter. */
const UNITS = new Map(
  (
    [
      [volume('m3', new Decimal(1)), 'm3 m^3 cbm cum cu_m kl cubic_metre cubic_meter kilolitre kiloliter'],
      [volume('L', LITRE), 'l ltr litre liter'],
      [volume('bbl', GALLON.times(42)), 'bbl barrel us_bbl us_barrel usbbl'],
      [volume('gal', GALLON), 'gal gallon us_gal us_gallon usg'],
      [mass('t', kilograms('tonne')), 't mt tonne metric_ton metric_tonne'],
      [mass('kg', new Decimal(1)), 'kg kilo kilogram kilogramme'],
      [mass('kt', kilograms('tonne').times(1000)), 'kt kilotonne'],
      [mass('LT', kilograms('long ton')), 'lt long_ton'],
      [mass('ST', kilograms('short ton')), 'st short_ton'],
      [mass('lb', kilograms('pound')), 'lb pound'],
    ] as const
  ).flatMap(([unit, spellings]) => spellings.split(' ').map((spelling) => [spelling, unit] as const)),
);

/** Characters typed for the degree sign: the ordinal of Spanish and Portuguese keyboards, and the ring above. */
const DEGREES = /[º˚]/g;
const TEMPERATURE = /[\s(,@]*(?:\bat\b)?\s*\b(\d{2})(?:[.,]0+)?\s*(?:°|deg\.?|degrees)?\s*([cf])\b\)?/;
const MEDIUM = /[\s(,]*\b(?:in\s+)?(air|vacuum|vac)\b\)?/;
/** The plural s; `lts` means long tons to some, and litres to others. */
const PLURAL = /(?<!^lt)s$/;

/** No name of a unit or table is longer; the time to search a text for one grows faster than its length. */
const LONGEST_SPELLING = 100;

/** Whether a text is short enough to name a unit or a table. */
export const isSpelling = ({ length }: string): boolean => length <= LONGEST_SPELLING;

/** The unit that a spelling means, such as "M3", "bbls at 60 °F" or "Metric tonnes (in air)"; undefined if unknown. */
export function knownUnit(spelling: string): KnownUnit | undefined {
  if (!isSpelling(spelling)) return undefined;
  const text = spelling.replace(DEGREES, '°').normalize('NFKC').toLowerCase().replace('@', ' at ').trim();
  const [temperature, degrees, scale] = TEMPERATURE.exec(text) ?? [];
  const [medium, where] = MEDIUM.exec(text) ?? [];
  const bare = text
    .replace(temperature ?? '', '')
    .replace(medium ?? '', '')
    .replace(/[.()]/g, '')
    .trim()
    .replace(/[\s_-]+/g, '_');
  const unit = UNITS.get(bare) ?? UNITS.get(bare.replace(PLURAL, ''));
  if (!unit) return undefined;
  const atTemperature = unit.measures === 'volume' && degrees ? `${degrees} °${scale?.toUpperCase()}` : undefined;
  const inMedium = unit.measures === 'mass' && where ? (where === 'air' ? 'air' : 'vacuum') : undefined;
  return { ...unit, condition: atTemperature ?? inMedium };
}

const read = new WeakMap<UnitOfMeasure, { readonly known: KnownUnit | undefined }>();

/** The known unit of the first spelling that is recognized. */
export function knownUnitOf(unit: UnitOfMeasure): KnownUnit | undefined {
  const before = read.get(unit);
  if (before) return before.known;
  const known = unit.spellings.map(knownUnit).find((one) => one !== undefined);
  read.set(unit, { known });
  return known;
}

/** The factor that converts figures of one unit to another, or why there is none. */
export function factorBetween(from: UnitOfMeasure | undefined, to: UnitOfMeasure | undefined): Factor {
  if (!from || !to) return { reason: 'A unit of measure is missing.' };
  if (from.id === to.id) return { factor: new Decimal(1) };
  const [one, other] = [knownUnitOf(from), knownUnitOf(to)];
  const unknown = !one ? from : !other ? to : undefined;
  if (!one || !other) return { reason: `The unit "${unknown?.spellings[0]}" is not known.` };
  if (one.measures !== other.measures) {
    return {
      reason: `${one.symbol} is a ${one.measures} and ${other.symbol} a ${other.measures}: a density is needed.`,
    };
  }
  if (one.condition && other.condition && one.condition !== other.condition) {
    const what = one.measures === 'volume' ? 'at' : 'in';
    return { reason: `One figure is ${what} ${one.condition}, the other ${what} ${other.condition}.` };
  }
  return { factor: one.inBase.div(other.inBase) };
}

/**
 * The unit for a sum of figures: the first, unless that states no condition and another of its kind does, which is then assumed of all.
 */
export function unitOfSum(units: readonly (UnitOfMeasure | undefined)[]): UnitOfMeasure | undefined {
  const [first] = units;
  const known = first && knownUnitOf(first);
  if (!known || known.condition) return first;
  const stated = units.find((unit) => {
    const other = unit && knownUnitOf(unit);
    return other?.measures === known.measures && other.condition !== undefined;
  });
  return stated ?? first;
}
