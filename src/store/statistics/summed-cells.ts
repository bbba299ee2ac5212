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

/** The sum of a cell over some jobs, in the workspace it names, or else in the one requested. */
export interface CellSum extends Omit<SummedCell, 'workspace' | 'a' | 'b'> {
  readonly workspace: string | undefined;
  readonly facet: string;
  readonly a: Amount;
  readonly b: Amount;
}

/** A sum by MongoDB; fields it was not asked to sum are missing. */
export interface FoundSum {
  readonly _id: { readonly workspace?: string; readonly key: string; readonly facet: string };
  readonly n: number;
  readonly x?: number;
  readonly y?: number;
  readonly z?: number;
  readonly a?: Decimal128 | number;
  readonly b?: Decimal128 | number;
}

/** What sums are grouped by besides their cells: workspaces, unless there is only one. */
export type Places = readonly 'workspace'[];

/** The stages that sum cells by facet and key. */
export function summing(places: Places, summed: readonly string[]): Document[] {
  const names = ['key', 'facet', ...places];
  const fields = Object.fromEntries([...names, 'n', ...summed].map((name) => [name, 1]));
  const sums = Object.fromEntries(['n', ...summed].map((name) => [name, { $sum: `$${name}` }]));
  const id = Object.fromEntries(names.map((name) => [name, `$${name}`]));
  return [{ $project: { _id: 0, ...fields } }, { $group: { _id: id, ...sums } }];
}

/** The same for the cells of facts; most jobs have the same cells as others, and are counted before their cells are unwound. */
export function summingCells(places: Places, facets: readonly string[], summed: readonly string[]): Document[] {
  const kept = Object.fromEntries(places.map((name) => [name, `$${name}`]));
  const id = Object.fromEntries([
    ...['key', 'facet'].map((name) => [name, `$_id.cells.${name}`]),
    ...places.map((name) => [name, `$_id.${name}`]),
  ]);
  const sums = Object.fromEntries(
    ['n', ...summed].map((name) => [name, { $sum: { $multiply: [`$_id.cells.${name}`, '$jobs'] } }]),
  );
  return [
    { $group: { _id: { cells: '$cells', ...kept }, jobs: { $sum: 1 } } },
    { $unwind: '$_id.cells' },
    { $match: { '_id.cells.facet': { $in: [...facets] } } },
    { $group: { _id: id, ...sums } },
  ];
}

export const cellSumOf = ({ _id, n, x = 0, y = 0, z = 0, a = 0, b = 0 }: FoundSum): CellSum => ({
  ...{ workspace: _id.workspace, facet: _id.facet, key: _id.key, n, x, y, z },
  ...{ a: a === 0 ? 0n : amountOf(a.toString()), b: b === 0 ? 0n : amountOf(b.toString()) },
});

/** Adds up sums of the same cells; sums for a single workspace do not name it. */
export function added(sums: readonly CellSum[], only = ''): SummedCell[] {
  const cells = new Map<string, Adding>();
  for (const { workspace = only, key, n, x, y, z, a, b } of sums) {
    const place = `${workspace}\n${key}`;
    const cell = cells.get(place);
    if (!cell) {
      cells.set(place, { workspace, key, n, x, y, z, a, b });
      continue;
    }
    cell.n += n;
    cell.x += x;
    cell.y += y;
    cell.z += z;
    cell.a += a;
    cell.b += b;
  }
  return [...cells.values()].map(({ a, b, ...cell }) => ({ ...cell, a: textOf(a), b: textOf(b) }));
}

type Adding = { -readonly [name in keyof Omit<CellSum, 'facet' | 'workspace'>]: CellSum[name] } & { workspace: string };
