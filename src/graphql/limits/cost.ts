import { type CostPlan, PAGE, type PlannedField, type PlannedSet, type Size } from './cost-plan.ts';

/** The values of a plan's page size variables in a request; the default where a variable is absent. */
export function sizesOf(
  { variables }: CostPlan,
  given: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const [name, standard] of variables) {
    const value = Object.hasOwn(given, name) ? given[name] : standard;
    sizes.set(name, typeof value === 'number' ? value : standard);
  }
  return sizes;
}

export type Sizes = ReturnType<typeof sizesOf>;

const numberOf = (size: Size, page: number, sizes: Sizes): number => {
  if (size === 'page') return Math.max(0, page);
  if (typeof size === 'number') return Math.max(0, size);
  return Math.max(size.least, ...size.variables.map((variable) => sizes.get(variable) ?? PAGE));
};

/** The cost of a planned operation; for an abstract type, that of the most expensive possible type. */
export function costOf({ root, whole }: CostPlan, sizes: Sizes): number {
  const known = new Map<PlannedSet, Map<number, number>>();
  const ofSet = (set: PlannedSet, page: number): number => {
    const found = known.get(set)?.get(page);
    if (found !== undefined) return found;
    let highest = 0;
    for (const fields of set.values()) {
      let cost = 0;
      for (const field of fields) cost += ofField(field, page);
      highest = Math.max(highest, cost);
    }
    known.set(set, (known.get(set) ?? new Map()).set(page, highest));
    return highest;
  };
  const ofField = ({ weight, size, page, below }: PlannedField, around: number): number => {
    const each = weight + (below ? ofSet(below, page === undefined ? 0 : numberOf(page, around, sizes)) : 0);
    return each * numberOf(size, around, sizes);
  };
  return whole ? ofSet(root, 0) : Number.POSITIVE_INFINITY;
}

/** A field of an operation: the number of objects expected there, and their cost without the fields below them. */
export interface CostRow {
  readonly path: string;
  readonly objects: number;
  readonly cost: number;
}

const MAX_ROWS = 20;
const MAX_VISITED = 2_000;

/** The most expensive fields of an operation, in descending order of cost. */
export function costRows({ root }: CostPlan, sizes: Sizes): CostRow[] {
  const rows = new Map<string, CostRow>();
  let left = MAX_VISITED;
  const walk = (set: PlannedSet, path: string, around: { readonly objects: number; readonly page: number }): void => {
    for (const fields of set.values()) {
      for (const { name, weight, size, page, below } of fields) {
        left -= 1;
        if (left < 0) return;
        const objects = around.objects * numberOf(size, around.page, sizes);
        const here = path === '' ? name : `${path}.${name}`;
        if (weight > 0) rows.set(here, { path: here, objects, cost: objects * weight });
        if (below) walk(below, here, { objects, page: page === undefined ? 0 : numberOf(page, 0, sizes) });
      }
    }
  };
  walk(root, '', { objects: 1, page: 0 });
  return [...rows.values()].sort((a, b) => b.cost - a.cost).slice(0, MAX_ROWS);
}
