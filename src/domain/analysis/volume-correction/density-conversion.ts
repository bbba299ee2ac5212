import { Decimal } from '../decimal.ts';
import { correctionFor } from './ctl.ts';
import {
  apiGravityOf,
  type Commodity,
  expansionOf,
  groupOf,
  METRIC_GROUPS,
  relativeDensityOf,
  WATER_60F,
} from './product-groups.ts';

/** One density, in the measures of the trade. */
export interface DensityConversion {
  /** kg/m³ at 15 °C. */
  readonly density15: number;
  /** kg/m³ at 60 °F. */
  readonly density60: number;
  /** 60/60 °F. */
  readonly relativeDensity: number;
  /** At 60 °F. */
  readonly apiGravity: number;
}

/** A density that is above zero, in the measure that is given. */
export type GivenDensity =
  | { readonly density15: Decimal }
  | { readonly apiGravity: Decimal }
  | { readonly relativeDensity: Decimal };

/** 60 °F is 15.5556 °C as the trade has it, in four decimals: so many degrees above 15 °C. */
const DEGREES_TO_60F = new Decimal('0.5556');
/** Each step gains three digits: so many for all digits of a double, and for all of a decimal. */
const [DOUBLE_STEPS, STEPS] = [6, 12];
/** Where two groups meet, no density may expand to the given one exactly: the step there is below this part of it. */
const TOLERANCE = new Decimal('0.00001');

/** Densities of liquids are between these, in kg/m³ at 15 °C: beyond them, the equations give numbers that are none. */
export const LIQUIDS = { lightest: 300, heaviest: 2000 } as const;

/** Whether it can be the density of a liquid, in kg/m³ at 15 °C. */
export const isOfLiquid = (density15: Decimal): boolean =>
  density15.gte(LIQUIDS.lightest) && density15.lte(LIQUIDS.heaviest);

/** The density in all measures, the step from 15 °C to 60 °F by the expansion of the product group; undefined for no liquid. */
export function densityConversionOf(given: GivenDensity, commodity: Commodity): DensityConversion | undefined {
  const density15 = density15Of(given, commodity);
  if (!density15 || !isOfLiquid(density15)) return undefined;
  const density60 = 'density15' in given ? at60(density15, commodity) : density60Of(given);
  const relativeDensity = density60.div(WATER_60F);
  return {
    density15: density15.toNumber(),
    density60: density60.toNumber(),
    relativeDensity: relativeDensity.toNumber(),
    apiGravity: apiGravityOf(relativeDensity).toNumber(),
  };
}

/** The density at 15 °C in kg/m³; undefined where none expands to the density that is given. */
export function density15Of(given: GivenDensity, commodity: Commodity): Decimal | undefined {
  if ('density15' in given) return given.density15;
  const density60 = density60Of(given);
  let density15 = new Decimal(nearly(density60.toNumber(), commodity) || density60);
  for (let [step, before] = [0, new Decimal(0)]; step < STEPS && !before.eq(density15); step++) {
    before = density15;
    density15 = density60.div(expansionTo60(density15, commodity));
  }
  const isSolved = at60(density15, commodity).minus(density60).abs().lt(density60.times(TOLERANCE));
  return isSolved ? density15 : undefined;
}

/** The same in doubles, which is where decimals go on. */
function nearly(density60: number, commodity: Commodity): number {
  let density15 = density60;
  for (let step = 0; step < DOUBLE_STEPS; step++) {
    const { k0, k1, k2 } = groupOf(METRIC_GROUPS[commodity], density15);
    const alpha = Number(k0) / density15 ** 2 + Number(k1) / density15 + Number(k2);
    const expansion = alpha * DEGREES_TO_60F.toNumber();
    density15 = density60 * Math.exp(expansion * (1 + 0.8 * expansion));
  }
  return Number.isFinite(density15) ? density15 : 0;
}

/** The API gravity at 60 °F of a density at 15 °C. */
export const apiGravityAt15 = (density15: Decimal, commodity: Commodity): Decimal =>
  apiGravityOf(at60(density15, commodity).div(WATER_60F));

const density60Of = (given: Exclude<GivenDensity, { density15: Decimal }>): Decimal =>
  ('apiGravity' in given ? relativeDensityOf(given.apiGravity) : given.relativeDensity).times(WATER_60F);

const at60 = (density15: Decimal, commodity: Commodity): Decimal =>
  density15.times(expansionTo60(density15, commodity));

const expansionTo60 = (density15: Decimal, commodity: Commodity): Decimal =>
  correctionFor(expansionOf(METRIC_GROUPS[commodity], density15).alpha, DEGREES_TO_60F);
