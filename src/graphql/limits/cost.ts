import type { Figures } from './cost-figures.ts';
import type { CostPlan, PlannedField, PlannedSet, Size } from './cost-plan.ts';

/** The number of objects that a size stands for; a requested size counts as at least 1, since the field is resolved even for 0. */
const numberOf = (size: Size, page: number, figures: Figures): number => {
  if (size === 'page') return Math.max(0, page);
  if (typeof size === 'number') return Math.max(0, size);
  let largest: number | undefined;
  for (const index of size.figures) {
    const figure = figures[index];
    if (figure !== undefined) largest = Math.max(largest ?? 0, figure);
  }
  return Math.max(1, largest ?? size.standard);
};

/** The cost of each call of the field, whatever it yields. */
function callCost({ call, calls }: PlannedField, figures: Figures): number {
  let cost = call;
  for (const index of calls) cost += figures[index] ?? 0;
  return cost;
}

/** The cost of a planned operation; for an abstract type, that of the most expensive possible type. */
export function costOf({ root, whole }: CostPlan, figures: Figures): number {
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
  const ofField = (field: PlannedField, around: number): number => {
    const { weight, size, page, below } = field;
    const each = weight + (below ? ofSet(below, page === undefined ? 0 : numberOf(page, around, figures)) : 0);
    return callCost(field, figures) + each * numberOf(size, around, figures);
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
export function costRows({ root }: CostPlan, figures: Figures): CostRow[] {
  const rows = new Map<string, CostRow>();
  let left = MAX_VISITED;
  const walk = (set: PlannedSet, path: string, around: { readonly objects: number; readonly page: number }): void => {
    for (const fields of set.values()) {
      for (const field of fields) {
        const { name, weight, size, page, below } = field;
        left -= 1;
        if (left < 0) return;
        const objects = around.objects * numberOf(size, around.page, figures);
        const here = path === '' ? name : `${path}.${name}`;
        const cost = objects * weight + around.objects * callCost(field, figures);
        if (cost > 0) rows.set(here, { path: here, objects, cost });
        if (below) walk(below, here, { objects, page: page === undefined ? 0 : numberOf(page, 0, figures) });
      }
    }
  };
  walk(root, '', { objects: 1, page: 0 });
  return [...rows.values()].sort((a, b) => b.cost - a.cost).slice(0, MAX_ROWS);
}
