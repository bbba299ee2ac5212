import { SPECIFICATION_TYPE } from '../model/document-types/specification.ts';
import type { JsonObject } from '../model/json.ts';
import type { TradeSpecification } from './trade-items.ts';
import { PRODUCTS, TEST_UNITS, TESTS } from './trade-words.ts';

interface Limits {
  readonly product: string;
  readonly name: string;
  /** kg/m³ at 15 °C. */
  readonly density: readonly [minimum: number, maximum: number];
  /** mg/kg. */
  readonly sulphur: number;
}

const LIMITS: readonly Limits[] = [
  { product: 'ULSD-10', name: 'Diesel 10 ppm', density: [820, 845], sulphur: 10 },
  { product: 'GAS-95', name: 'Gasoline 95', density: [720, 775], sulphur: 10 },
];
/** The reproducibility of the methods, in the unit of the limits. */
const REPRODUCIBILITY = { density: 0.5, sulphur: 1.8 };

/** The specifications of some products, for each of the workspaces. */
export function tradeSpecifications(workspaces: number, createdAt: Date): TradeSpecification[] {
  return Array.from({ length: workspaces }, (_, workspace) =>
    LIMITS.map((limits) => ({ workspace, createdAt, ...specificationOf(limits) })),
  ).flat();
}

function specificationOf({ product: xref, name, density, sulphur }: Limits) {
  const product = PRODUCTS.find((one) => one.xref === xref);
  const [minimum, maximum] = density;
  const body = {
    name,
    product: { xref, name: product?.name },
    tests: [
      { ...TESTS.density, uom: TEST_UNITS.density, minimum, maximum, reproducibility: REPRODUCIBILITY.density },
      { ...TESTS.sulphur, uom: TEST_UNITS.parts, maximum: sulphur, reproducibility: REPRODUCIBILITY.sulphur },
    ],
  };
  return { type: SPECIFICATION_TYPE, product: xref, body: body as unknown as JsonObject };
}
