import { Decimal } from '../decimal.ts';
import {
  expansionOf,
  FAHRENHEIT_GROUPS,
  type Groups,
  METRIC_GROUPS,
  relativeDensityOf,
  WATER_60F,
} from './product-groups.ts';

export const TABLE_NAMES = ['6A', '6B', '6C', '6D', '24A', '24B', '54A', '54B', '54C', '54D'] as const;
export type TableName = (typeof TABLE_NAMES)[number];

/** The parameters of a table besides the temperature. */
export const ENTRIES = ['density15', 'apiGravity', 'relativeDensity', 'expansion'] as const;
export type Entry = (typeof ENTRIES)[number];

/** A printed table of API MPMS 11.1 / ASTM D1250, 1980 edition. */
export interface VolumeCorrectionTable {
  readonly name: TableName;
  readonly entry: Entry;
  readonly unit: string;
  readonly scale: '°F' | '°C';
  readonly base: Decimal;
  /** The coefficient of thermal expansion at the base temperature, per degree of the scale. */
  readonly alphaOf: (entry: Decimal) => Decimal;
  readonly lowest: Decimal;
  readonly highest: Decimal;
  readonly coldest: Decimal;
  /** The highest temperature printed for an entry: that of the first element that reaches it. */
  readonly hottest: readonly { readonly reaches: (entry: Decimal) => boolean; readonly degrees: Decimal }[];
}

type Reach = readonly [limit: string, degrees: number];
interface Printed {
  readonly range: readonly [lowest: string, highest: string];
  /** The entries of heavier oils are printed up to higher temperatures. */
  readonly reaches: readonly Reach[];
  readonly otherwise: number;
}

const number = (value: string | number) => new Decimal(value);
const atMost = (limit: string) => (entry: Decimal) => entry.lte(number(limit));
const atLeast = (limit: string) => (entry: Decimal) => entry.gte(number(limit));
const always = (): boolean => true;

type Kind = Pick<VolumeCorrectionTable, 'entry' | 'unit' | 'scale' | 'base' | 'coldest'> & {
  readonly heavier: (limit: string) => (entry: Decimal) => boolean;
};
const fahrenheit = { scale: '°F', base: number(60), coldest: number(0) } as const;
const celsius = { scale: '°C', base: number(15), coldest: number(-18) } as const;
const byApi: Kind = { entry: 'apiGravity', unit: '°API', ...fahrenheit, heavier: atMost };
const byRelativeDensity: Kind = { entry: 'relativeDensity', unit: '60/60 °F', ...fahrenheit, heavier: atLeast };
const byDensity: Kind = { entry: 'density15', unit: 'kg/m³', ...celsius, heavier: atLeast };
const byExpansion = (kind: typeof fahrenheit | typeof celsius): Kind => ({
  ...{ entry: 'expansion', unit: `per ${kind.scale}` },
  ...kind,
  heavier: atMost,
});

function table(
  name: TableName,
  { heavier, ...kind }: Kind,
  { alphaOf, ...printed }: Printed & Pick<VolumeCorrectionTable, 'alphaOf'>,
): VolumeCorrectionTable {
  const { range, reaches, otherwise } = printed;
  return {
    name,
    ...kind,
    alphaOf,
    lowest: number(range[0]),
    highest: number(range[1]),
    hottest: [
      ...reaches.map(([limit, degrees]) => ({ reaches: heavier(limit), degrees: number(degrees) })),
      { reaches: always, degrees: number(otherwise) },
    ],
  };
}

const ofApi = (groups: Groups) => (api: Decimal) => expansionOf(groups, relativeDensityOf(api).times(WATER_60F)).alpha;
const ofRelativeDensity = (groups: Groups) => (relative: Decimal) =>
  expansionOf(groups, relative.times(WATER_60F)).alpha;
const ofDensity = (groups: Groups) => (density: Decimal) => expansionOf(groups, density).alpha;
const itself = (alpha: Decimal): Decimal => alpha;

const API_REACHES: readonly Reach[] = [
  ['40', 300],
  ['50', 250],
];
const RELATIVE_REACHES: readonly Reach[] = [
  ['0.8250', 300],
  ['0.7795', 250],
];
const DENSITY_REACHES: readonly Reach[] = [
  ['824.5', 150],
  ['779.0', 125],
];
const { A: CRUDE_F, B: PRODUCTS_F, D: LUBES_F } = FAHRENHEIT_GROUPS;
const { A: CRUDE_C, B: PRODUCTS_C, D: LUBES_C } = METRIC_GROUPS;

const ALL: readonly VolumeCorrectionTable[] = [
  table('6A', byApi, { alphaOf: ofApi(CRUDE_F), range: ['0', '100'], reaches: API_REACHES, otherwise: 200 }),
  table('6B', byApi, { alphaOf: ofApi(PRODUCTS_F), range: ['0', '85'], reaches: API_REACHES, otherwise: 200 }),
  table('6C', byExpansion(fahrenheit), {
    ...{ alphaOf: itself, range: ['0.00027', '0.00093'], otherwise: 200 },
    reaches: [
      ['0.00051', 300],
      ['0.00053', 250],
    ],
  }),
  table('6D', byApi, { alphaOf: ofApi(LUBES_F), range: ['-10', '45'], reaches: [], otherwise: 300 }),
  table('24A', byRelativeDensity, {
    ...{ alphaOf: ofRelativeDensity(CRUDE_F), range: ['0.6110', '1.0760'] },
    ...{ reaches: RELATIVE_REACHES, otherwise: 200 },
  }),
  table('24B', byRelativeDensity, {
    ...{ alphaOf: ofRelativeDensity(PRODUCTS_F), range: ['0.6535', '1.0760'] },
    ...{ reaches: RELATIVE_REACHES, otherwise: 200 },
  }),
  table('54A', byDensity, {
    ...{ alphaOf: ofDensity(CRUDE_C), range: ['610.5', '1075'] },
    ...{ reaches: DENSITY_REACHES, otherwise: 95 },
  }),
  table('54B', byDensity, {
    ...{ alphaOf: ofDensity(PRODUCTS_C), range: ['653', '1075'] },
    ...{ reaches: DENSITY_REACHES, otherwise: 90 },
  }),
  table('54C', byExpansion(celsius), {
    ...{ alphaOf: itself, range: ['0.000486', '0.001674'], otherwise: 95 },
    reaches: [
      ['0.000918', 150],
      ['0.000954', 125],
    ],
  }),
  table('54D', byDensity, { alphaOf: ofDensity(LUBES_C), range: ['800', '1164'], reaches: [], otherwise: 150 }),
];

const byName = new Map<string, VolumeCorrectionTable>(ALL.map((one) => [one.name, one]));

/** The table with that name, ignoring letter case. */
export const volumeCorrectionTable = (name: string): VolumeCorrectionTable | undefined =>
  byName.get(name.trim().toUpperCase());
