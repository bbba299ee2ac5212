import { Decimal } from '../decimal.ts';

/** Products with the same expansion: alpha = K0 ÷ ρ² + K1 ÷ ρ + K2, with the base density ρ in kg/m³. */
interface ProductGroup {
  readonly name: string;
  readonly k0: Decimal;
  readonly k1: Decimal;
  readonly k2: Decimal;
}

/** The groups of one commodity, lightest first; each ends halfway between two printed entries. */
export type Groups = readonly { readonly group: ProductGroup; readonly below: Decimal | undefined }[];

const group = (name: string, k0: string, k1 = '0', k2 = '0'): ProductGroup => ({
  name,
  k0: new Decimal(k0),
  k1: new Decimal(k1),
  k2: new Decimal(k2),
});
const alone = (only: ProductGroup): Groups => [{ group: only, below: undefined }];

/** The density of water at 60 °F in kg/m³ that the 1980 edition uses. */
export const WATER_60F = new Decimal('999.012');
const API_DIVIDEND = new Decimal('141.5');
const API_OFFSET = new Decimal('131.5');

/** °API at 60 °F as relative density 60/60 °F; not above zero if there is no such gravity. */
export const relativeDensityOf = (apiGravity: Decimal): Decimal => API_DIVIDEND.div(apiGravity.plus(API_OFFSET));
/** Relative density 60/60 °F as °API. */
export const apiGravityOf = (relativeDensity: Decimal): Decimal => API_DIVIDEND.div(relativeDensity).minus(API_OFFSET);

const densityOfApi = (api: string): Decimal => relativeDensityOf(new Decimal(api)).times(WATER_60F);

/** The constants at 15 °C, per °C: tables 53 and 54. */
export const METRIC_GROUPS: Readonly<Record<Commodity, Groups>> = {
  A: alone(group('crude oils', '613.9723')),
  // Printed every 0.5 kg/m³: to 770.0, 770.5–787.5, 788.0–838.5, from 839.0.
  B: [
    { group: group('gasolines', '346.4228', '0.4388'), below: new Decimal('770.25') },
    { group: group('transition zone', '2680.3206', '0', '-0.00336312'), below: new Decimal('787.75') },
    { group: group('jet fuels', '594.5418'), below: new Decimal('838.75') },
    { group: group('fuel oils', '186.9696', '0.4862'), below: undefined },
  ],
  D: alone(group('lubricating oils', '0', '0.6278')),
};

/** The constants at 60 °F, per °F: tables 5, 6, 23 and 24. */
export const FAHRENHEIT_GROUPS: Readonly<Record<Commodity, Groups>> = {
  A: alone(group('crude oils', '341.0957')),
  // Printed every 0.1 °API: 85.0–52.1, 52.0–48.0, 47.9–37.1, from 37.0 down.
  B: [
    { group: group('gasolines', '192.4571', '0.2438'), below: densityOfApi('52.05') },
    { group: group('transition zone', '1489.0670', '0', '-0.0018684'), below: densityOfApi('47.95') },
    { group: group('jet fuels', '330.3010'), below: densityOfApi('37.05') },
    { group: group('fuel oils', '103.8720', '0.2701'), below: undefined },
  ],
  D: alone(group('lubricating oils', '0', '0.34878')),
};

/** Generalized crude oils (A), products (B) and lubricating oils (D). */
export type Commodity = 'A' | 'B' | 'D';

/** The group of a base density; the last group is open-ended. */
export const groupOf = (groups: Groups, density: Decimal | number): ProductGroup =>
  (groups.find(({ below }) => below === undefined || below.gt(density)) as Groups[number]).group;

/** The group of a base density, and its coefficient of thermal expansion there, per degree. */
export function expansionOf(groups: Groups, density: Decimal): { readonly group: string; readonly alpha: Decimal } {
  const { k0, k1, k2, name } = groupOf(groups, density);
  return { group: name, alpha: k0.div(density.times(density)).plus(k1.div(density)).plus(k2) };
}
