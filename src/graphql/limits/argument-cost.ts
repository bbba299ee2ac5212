/** The cost of each `contains`, which no MongoDB index supports. */
const CONTAINS = 10;
/** The cost of any sort order but the list's default, which is indexed. */
const ORDER = 5;

type Values = Readonly<Record<string, unknown>>;

/** The arguments that add to the cost of a list, and the cost of their values. */
export const ARGUMENT_COSTS: ReadonlyMap<string, (value: unknown) => number> = new Map([
  ['where', (where) => CONTAINS * containsIn(where)],
  ['nameContains', (text) => (typeof text === 'string' ? CONTAINS : 0)],
  ['order', orderCost],
  ['orderBy', orderCost],
]);

/** The cost that a field's arguments add. */
export function argumentsCost(values: Values): number {
  let cost = 0;
  for (const name in values) cost += ARGUMENT_COSTS.get(name)?.(values[name]) ?? 0;
  return cost;
}

/** The number of `contains` in a filter. */
function containsIn(filter: unknown): number {
  if (typeof filter !== 'object' || filter === null) return 0;
  let count = 0;
  for (const name in filter) {
    const value = (filter as Values)[name];
    count += name === 'contains' && typeof value === 'string' ? 1 : containsIn(value);
  }
  return count;
}

/** The default orders of lists. */
const DEFAULTS: ReadonlySet<string> = new Set(['', 'createdAt desc', 'created_at desc', 'clientCode asc']);

function orderCost(order: unknown): number {
  const steps = [order ?? []].flat().map(stepText);
  const isDefault = DEFAULTS.has(steps[0] ?? '') && (steps.length < 2 || (steps.length === 2 && steps[1] === 'id asc'));
  return isDefault ? 0 : ORDER;
}

/** One step of a typed order, or of one by field names; a step inside a group is never a default. */
function stepText(step: unknown): string {
  const { field, direction = 'asc', ...typed } = (step ?? {}) as Values;
  if (typeof field === 'string') return `${field} ${typeof direction === 'string' ? direction : ''}`;
  const [[name, asked] = ['', '']] = Object.entries(typed);
  return `${name} ${typeof asked === 'string' ? asked : ''}`;
}
