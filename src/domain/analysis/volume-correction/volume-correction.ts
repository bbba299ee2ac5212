import type { Decimal } from '../decimal.ts';
import { correctionFor } from './ctl.ts';
import type { TableName, VolumeCorrectionTable } from './tables.ts';

/** A volume correction factor, by the equation and by the printed table. */
export interface VolumeCorrection {
  readonly table: TableName;
  readonly factor: number | null;
  /** Four decimals, half away from zero; null outside the printed table. */
  readonly rounded: number | null;
  readonly withinTable: boolean;
  readonly reason: string | null;
}

/** The factors of the printed tables have four decimals. */
const FACTOR_PLACES = 4;

/** A table's correction factor for its entry, which is above zero, and a temperature in the table's scale. */
export function volumeCorrectionOf(
  table: VolumeCorrectionTable,
  entry: Decimal,
  temperature: Decimal,
): VolumeCorrection {
  const exact = exactFactorOf(table, entry, temperature);
  const outside = boundCrossed(table, entry, temperature);
  const rounded = exact?.toDecimalPlaces(FACTOR_PLACES).toNumber() ?? null;
  return {
    table: table.name,
    factor: exact?.toNumber() ?? null,
    rounded: outside === undefined ? rounded : null,
    withinTable: outside === undefined,
    reason: outside ?? null,
  };
}

/** The factor with all its digits; undefined if the equation gives no number above zero. */
export function exactFactorOf(table: VolumeCorrectionTable, entry: Decimal, temperature: Decimal): Decimal | undefined {
  const factor = correctionFor(table.alphaOf(entry), temperature.minus(table.base));
  const number = factor.toNumber();
  return Number.isFinite(number) && number > 0 ? factor : undefined;
}

/** The bound of the printed table that is exceeded. */
function boundCrossed(
  { name, entry, unit, scale, lowest, highest, coldest, hottest }: VolumeCorrectionTable,
  value: Decimal,
  temperature: Decimal,
): string | undefined {
  const says = (what: string, is: Decimal, bound: string, of: string) =>
    `Table ${name} is printed ${bound} ${of}: the ${what} ${is} is outside.`;
  if (value.lt(lowest)) return says(entry, value, `from ${lowest}`, unit);
  if (value.gt(highest)) return says(entry, value, `up to ${highest}`, unit);
  if (temperature.lt(coldest)) return says('temperature', temperature, `from ${coldest}`, scale);
  const most = hottest.find(({ reaches }) => reaches(value))?.degrees;
  if (most && temperature.gt(most)) {
    return says('temperature', temperature, `up to ${most}`, `${scale} for ${value} ${unit}`);
  }
  return undefined;
}
