import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Decimal } from '../../../src/domain/analysis/decimal.ts';

/** The text of docs/calculations.md. */
export const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'calculations.md'), 'utf8');

/** The cells of a table row, by column name. */
type Row<Column extends string> = Readonly<Record<Column, string>>;

/** The rows of the section's table with exactly these columns. */
export function tableIn<const Column extends string>(section: string, ...columns: readonly Column[]): Row<Column>[] {
  const [, rest = ''] = page.split(`\n## ${section}\n`);
  const [text = ''] = rest.split('\n## ');
  const [, below = ''] = text.split(`\n| ${columns.join(' | ')} |\n`);
  const [table = ''] = below.split('\n\n');
  const lines = table.trimEnd().split('\n').slice(1);
  expect([section, lines.length > 0]).toEqual([section, true]);
  return lines.map((line) => {
    const cells = line.split('|').slice(1, -1);
    expect([line, cells.length]).toEqual([line, columns.length]);
    return Object.fromEntries(columns.map((column, index) => [column, cells[index]?.trim()])) as Row<Column>;
  });
}

/** A number as written on the page; an empty cell if absent. */
export const written = (value: number | null | undefined): string => String(value ?? '').replace('-', '−');

/** A quantity as written on the page: `10 m3`. */
export function quantityIn(cell: string): { readonly value: number; readonly unit: string } {
  const [, value = '', unit = ''] = /^([\d.]+) (.+)$/.exec(cell) ?? [];
  return { value: Number(value), unit };
}

/** A flag in a document: yes, no, or absent. */
export const flagIn = (cell: string): boolean | undefined => (cell === '' ? undefined : cell === 'yes');

/** A flag as written on the page. */
export const flag = (value: boolean | null): string => (value === null ? '' : value ? 'yes' : 'no');

/** A hand-computed figure, to that many places. */
export function onPaper(text: string, places: number): number {
  const tokens = text.match(/\d+(?:\.\d+)?|[()+−×÷]/g) ?? [];
  expect(tokens.join('')).toBe(text.replaceAll(' ', ''));
  const result = sum(tokens);
  expect([text, tokens]).toEqual([text, []]);
  return result.toDecimalPlaces(places).toNumber();
}

function sum(tokens: string[]): Decimal {
  let total = product(tokens);
  while (tokens[0] === '+' || tokens[0] === '−') {
    total = tokens.shift() === '+' ? total.plus(product(tokens)) : total.minus(product(tokens));
  }
  return total;
}

function product(tokens: string[]): Decimal {
  let total = operand(tokens);
  while (tokens[0] === '×' || tokens[0] === '÷') {
    total = tokens.shift() === '×' ? total.times(operand(tokens)) : total.div(operand(tokens));
  }
  return total;
}

function operand(tokens: string[]): Decimal {
  const token = tokens.shift() ?? '';
  if (token !== '(') return new Decimal(token);
  const inside = sum(tokens);
  expect(tokens.shift()).toBe(')');
  return inside;
}
