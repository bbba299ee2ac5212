import type { Decimal } from '../decimal.ts';
import { isSpelling } from '../units.ts';
import { type VolumeCorrectionTable, volumeCorrectionTable } from '../volume-correction/tables.ts';
import type { Temperature } from './audit-facts.ts';

const TABLE = /(?<![\d.])(6|24|54)\s*-?\s*([abcd])(?![a-z\d])/i;

/** The correction table that a record is named after: `54B`, `Table 54B`, `ASTM 54B`. */
export function tableNamed(spellings: readonly string[]): VolumeCorrectionTable | undefined {
  for (const spelling of spellings.filter(isSpelling)) {
    const [, number, letter] = TABLE.exec(spelling.normalize('NFKC')) ?? [];
    if (number && letter) return volumeCorrectionTable(`${number}${letter}`);
  }
  return undefined;
}

const SCALES: Readonly<Record<string, Temperature['scale']>> = {
  ...Object.fromEntries(['c', 'oc', 'cel', 'celsius', 'centigrade', 'degc', 'degcelsius'].map((name) => [name, '°C'])),
  ...Object.fromEntries(['f', 'of', 'fah', 'fahrenheit', 'degf', 'degfahrenheit'].map((name) => [name, '°F'])),
};

/** A temperature with the scale of its unit, if any; undefined for a unit whose scale is not known, such as kelvin. */
export function temperatureIn(value: Decimal, unit: readonly string[] | undefined): Temperature | undefined {
  const scale = unit && scaleNamed(unit);
  return unit && !scale ? undefined : { value, scale };
}

/** The scale that a unit of temperature is named after: `°C`, `Deg C`, `Fahrenheit`, `FAH`. */
export function scaleNamed(spellings: readonly string[]): Temperature['scale'] {
  for (const spelling of spellings.filter(isSpelling)) {
    const letters = spelling
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '')
      .replace(/^degrees?/, 'deg');
    const scale = SCALES[letters];
    if (scale) return scale;
  }
  return undefined;
}
