import { Decimal } from '../decimal.ts';
import { apiGravityAt15, density15Of, isOfLiquid } from '../volume-correction/density-conversion.ts';
import { type Commodity, relativeDensityOf } from '../volume-correction/product-groups.ts';
import type { VolumeCorrectionTable } from '../volume-correction/tables.ts';
import { exactFactorOf } from '../volume-correction/volume-correction.ts';
import type { QuantityReport, Temperature } from './audit-facts.ts';

type Densities = Pick<QuantityReport<unknown>, 'density15c' | 'api' | 'table'>;

/** Densities below this are in kg/l. */
const LIGHTEST_IN_CUBIC_METRES = 2;

/** How the cargo expands: as the table of the report says, otherwise as products do. */
function commodityOf({ table }: Pick<Densities, 'table'>): Commodity {
  const letter = table?.name.at(-1);
  return letter === 'A' || letter === 'D' ? letter : 'B';
}

/** The density at 15 °C in kg/m³ as reported; undefined if no liquid has it. */
function density15({ density15c }: Densities): Decimal | undefined {
  const density = density15c?.lt(LIGHTEST_IN_CUBIC_METRES) ? density15c.times(1000) : density15c;
  return density && isOfLiquid(density) ? density : undefined;
}

/** Cached, since two rules ask for it. */
const known = new WeakMap<Densities, { readonly api: Decimal | undefined }>();

/** The API gravity that matches the density of the report. */
export function apiOfDensity(report: Densities): Decimal | undefined {
  const found = known.get(report) ?? { api: apiGravityOf(report) };
  known.set(report, found);
  return found.api;
}

function apiGravityOf(report: Densities): Decimal | undefined {
  const density = density15(report);
  return density && apiGravityAt15(density, commodityOf(report));
}

/** The entry into the report's table: the density that the table asks for, otherwise derived from the other one. */
function entryOf(report: Densities): Decimal | undefined {
  const { table, api } = report;
  const density = density15(report);
  const gravity = api?.gt(-131.5) ? api : undefined;
  const commodity = commodityOf(report);
  switch (table?.entry) {
    case 'density15':
      return density ?? (gravity && density15Of({ apiGravity: gravity }, commodity));
    case 'apiGravity':
      return gravity ?? apiOfDensity(report);
    case 'relativeDensity':
      return gravity ? relativeDensityOf(gravity) : relativeOf(apiOfDensity(report));
    default:
      return undefined; // tables C need an expansion, which reports do not have
  }
}

const relativeOf = (api: Decimal | undefined): Decimal | undefined => api && relativeDensityOf(api);

/** The correction factor for a report's density and temperature, by its table. */
export function factorFor(report: Densities, temperature: Temperature): Decimal | undefined {
  const { table } = report;
  const entry = entryOf(report);
  if (!table || !entry) return undefined;
  return exactFactorOf(table, entry, inScale(temperature, table.scale));
}

/** A temperature in another scale; a temperature without a unit is assumed to be in that scale. */
function inScale({ value, scale = undefined }: Temperature, wanted: VolumeCorrectionTable['scale']): Decimal {
  if (scale === undefined || scale === wanted) return value;
  return wanted === '°C' ? value.minus(32).div('1.8') : new Decimal(value).times('1.8').plus(32);
}

/** The standard temperature of a table, as units write it. */
export const standardOf = ({ scale }: VolumeCorrectionTable): string => (scale === '°C' ? '15 °C' : '60 °F');
