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

/** A density above zero, in one of the measures. */
export type GivenDensity =
  | { readonly density15: Decimal }
  | { readonly apiGravity: Decimal }
  | { readonly relativeDensity: Decimal };

/** 60 °F is 15.5556 °C in the trade, to four decimals: the difference from 15 °C in degrees. */
const DEGREES_TO_60F = new Decimal('0.5556');
/** Each step gains three digits: these suffice for all digits of a double, and of a decimal. */
const [DOUBLE_STEPS, STEPS] = [6, 12];
/** Where two groups meet, no density may expand exactly to the given one: relative to it, the step there is smaller than this. */
const TOLERANCE = new Decimal('0.00001');

/** The densities of liquids, in kg/m³ at 15 °C: beyond these limits, the equations give meaningless numbers. */
export const LIQUIDS = { lightest: 300, heaviest: 2000 } as const;

/** Whether a liquid can have this density, in kg/m³ at 15 °C. */
export const isOfLiquid = (density15: Decimal): boolean =>
  density15.gte(LIQUIDS.lightest) && density15.lte(LIQUIDS.heaviest);

/** The density in all measures, converted from 15 °C to 60 °F by the product group's expansion; undefined if no liquid has it. */
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

/** The density at 15 °C in kg/m³; undefined if none expands to the given density. */
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

/** The same in doubles, as a starting point for decimals. */
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

/** The API gravity at 60 °F for a density at 15 °C. */
export const apiGravityAt15 = (density15: Decimal, commodity: Commodity): Decimal =>
  apiGravityOf(at60(density15, commodity).div(WATER_60F));

const density60Of = (given: Exclude<GivenDensity, { density15: Decimal }>): Decimal =>
  ('apiGravity' in given ? relativeDensityOf(given.apiGravity) : given.relativeDensity).times(WATER_60F);

const at60 = (density15: Decimal, commodity: Commodity): Decimal =>
  density15.times(expansionTo60(density15, commodity));

const expansionTo60 = (density15: Decimal, commodity: Commodity): Decimal =>
  correctionFor(expansionOf(METRIC_GROUPS[commodity], density15).alpha, DEGREES_TO_60F);
