import type { Decimal128, Document } from 'mongodb';
import { type Amount, amountOf, textOf } from './amount.ts';

/** The sum of a cell over the jobs of a scope in one workspace. */
export interface SummedCell {
  readonly workspace: string;
  readonly key: string;
  readonly n: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Texts of exact decimal numbers. */
  readonly a: string;
  readonly b: string;
}

/** What MongoDB has summed; what it was not asked to sum is missing. */
export interface FoundSum {
  readonly _id: { readonly workspace?: string; readonly key: string; readonly facet?: string };
  readonly n: number;
  readonly x?: number;
  readonly y?: number;
  readonly z?: number;
  readonly a?: Decimal128 | number;
  readonly b?: Decimal128 | number;
}

/** The stages that sum cells by their key, and by what else is named. */
export function summing(by: readonly ('workspace' | 'facet')[], summed: readonly string[]): Document[] {
  const fields = Object.fromEntries(['key', 'n', ...by, ...summed].map((name) => [name, 1]));
  const sums = Object.fromEntries(['n', ...summed].map((name) => [name, { $sum: `$${name}` }]));
  const id = Object.fromEntries(['key', ...by].map((name) => [name, `$${name}`]));
  return [{ $project: { _id: 0, ...fields } }, { $group: { _id: id, ...sums } }];
}

/** Adds up sums of the same cells; those of one workspace do not name it. */
export function added(found: readonly FoundSum[], only = ''): SummedCell[] {
  const cells = new Map<string, Adding>();
  for (const { _id, n, x = 0, y = 0, z = 0, a = 0, b = 0 } of found) {
    const { workspace = only, key } = _id;
    const place = `${workspace}\n${key}`;
    const cell = cells.get(place) ?? { workspace, key, n: 0, x: 0, y: 0, z: 0, a: 0n, b: 0n };
    cells.set(place, cell);
    cell.n += n;
    cell.x += x;
    cell.y += y;
    cell.z += z;
    if (a !== 0) cell.a += amountOf(a.toString());
    if (b !== 0) cell.b += amountOf(b.toString());
  }
  return [...cells.values()].map(({ a, b, ...cell }) => ({ ...cell, a: textOf(a), b: textOf(b) }));
}

interface Adding extends Pick<SummedCell, 'workspace' | 'key'> {
  n: number;
  x: number;
  y: number;
  z: number;
  a: Amount;
  b: Amount;
}
