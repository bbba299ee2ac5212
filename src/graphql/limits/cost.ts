import { type CostPlan, PAGE, type PlannedField, type PlannedSet, type Size } from './cost-plan.ts';

/** The numbers that the size variables of a plan have in a request; 25 where one is left out. */
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

/** The cost of a planned operation; where several types may stand, the dearest counts. */
export function costOf({ root, whole }: CostPlan, sizes: Sizes): number {
  const known = new Map<PlannedSet, Map<number, number>>();
  const ofSet = (set: PlannedSet, page: number): number => {
    const found = known.get(set)?.get(page);
    if (found !== undefined) return found;
    let dearest = 0;
    for (const fields of set.values()) {
      let cost = 0;
      for (const field of fields) cost += ofField(field, page);
      dearest = Math.max(dearest, cost);
    }
    known.set(set, (known.get(set) ?? new Map()).set(page, dearest));
    return dearest;
  };
  const ofField = ({ weight, size, page, below }: PlannedField, around: number): number => {
    const each = weight + (below ? ofSet(below, page === undefined ? 0 : numberOf(page, around, sizes)) : 0);
    return each * numberOf(size, around, sizes);
  };
  return whole ? ofSet(root, 0) : Number.POSITIVE_INFINITY;
}

/** One place of an operation, how many objects are expected there, and what they cost without those below. */
export interface CostRow {
  readonly path: string;
  readonly objects: number;
  readonly cost: number;
}

const MAX_ROWS = 20;
const MAX_VISITED = 2_000;

/** The dearest places of an operation, dearest first. */
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
