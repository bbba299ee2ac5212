import type { Violation } from '../../errors.ts';
import { soughtParts } from '../../model/fields/text-parts.ts';
import type { WhereNode, WhereRelation, WhereTable, WhereValue } from '../../model/fields/where-table.ts';
import { isObject } from '../../model/json.ts';
import { normalForm } from '../../model/normal-form.ts';
import type { Comparable, RangeOperator } from '../../store/entities/query.ts';
import { anyName, comparedByType, type ParsedFilter, type ParsedFilters, parseValue } from './filters.ts';
import { lengthFault } from './text-length.ts';

/** A typed filter as GraphQL passes it: fields with comparisons, and `and`, `or`, `not`. */
export type Where = Readonly<Record<string, unknown>>;

const MAX_COMPARISONS = 200;
const MAX_VALUES = 1_000;
const MAX_NESTING = 12;

/** Parses a typed filter; the violations name the invalid comparisons. */
export function parseWhere(table: WhereTable, where: Where): ParsedFilters {
  const reader = new WhereReader();
  const reading = reader.all(table, where, ['where']);
  return { readings: reading ? [reading] : [], violations: reader.violations() };
}

class WhereReader {
  readonly #violations: Violation[] = [];
  #comparisons = 0;

  violations(): readonly Violation[] {
    if (this.#comparisons <= MAX_COMPARISONS) return this.#violations;
    return [...this.#violations, { parameter: 'where', message: `may have at most ${MAX_COMPARISONS} comparisons.` }];
  }

  /** The conjunction of everything in one input object; undefined if it states nothing. */
  all(table: WhereTable, where: Where, path: readonly string[]): ParsedFilter | undefined {
    if (path.length > MAX_NESTING) return this.#violation(path, `is nested more than ${MAX_NESTING} levels deep.`);
    return together(membersOf(where).map(([name, given]) => this.#member(table, [name, given], [...path, name])));
  }

  #member(
    table: WhereTable,
    [name, given]: readonly [string, unknown],
    path: readonly string[],
  ): ParsedFilter | undefined {
    if (name === 'and' || name === 'or') {
      const each = this.#list(given, path).map((one, i) => this.#object(table, one, [...path, String(i)]));
      return name === 'and' ? together(each) : anyOfSaid(each);
    }
    if (name === 'not') {
      const inside = this.#object(table, given, path);
      return inside && { none: [inside] };
    }
    const node = table.get(name);
    return node ? this.#node(node, given, path) : this.#violation(path, 'is not a field.');
  }

  #object(table: WhereTable, given: unknown, path: readonly string[]): ParsedFilter | undefined {
    return isObject(given) ? this.all(table, given, path) : this.#violation(path, NULL);
  }

  #node(node: WhereNode, given: unknown, path: readonly string[]): ParsedFilter | undefined {
    if (node.is === 'relation') {
      if (given === null) return absent(node);
      const match = this.#object(node.table, given, path) ?? askedToBe(given);
      return match && { stored: node.stored, to: node.to.name, catalog: node.catalog, match };
    }
    if (!isObject(given)) return this.#violation(path, NULL);
    if (node.is === 'value') return this.#value(node, given, path);
    const inside = this.all(node.nodes, given, path);
    if (node.list === undefined) return inside;
    const some = inside ?? askedToBe(given);
    return some && { stored: node.list, some };
  }

  #value(node: WhereValue, given: Where, path: readonly string[]): ParsedFilter | undefined {
    const parts = membersOf(given).map(([name, value]): ParsedFilter => {
      this.#comparisons += 1;
      const compared = withOtherwise(node, this.#comparison(node, { name, value }, [...path, name]));
      return node.unchecked ? comparedByType(node, compared) : compared;
    });
    return together(parts);
  }

  #comparison(
    node: WhereValue,
    { name, value }: { readonly name: string; readonly value: unknown },
    path: readonly string[],
  ): ParsedFilter {
    const { stored } = node;
    switch (name) {
      case 'eq':
        return anyOf(node, [this.#read(node, value, path) ?? null]);
      case 'in':
        return anyOf(
          node,
          this.#list(value, path).map((each) => this.#read(node, each, path) ?? null),
        );
      case 'ne':
        return { stored, noneOf: [this.#read(node, value, path) ?? null] };
      case 'exists':
        if (value === null) return this.#violation(path, 'must be true or false.');
        return value ? { stored, noneOf: [null] } : { stored, anyOf: [null] };
      case 'contains':
        if (typeof value !== 'string') return this.#violation(path, 'must be a string.');
        return this.#containing(node, value, path);
      default: {
        const read = this.#read(node, value, path);
        if (read === undefined) return NO_CONDITION;
        if (read === null) return this.#violation(path, 'must be a value: nothing is more or less than null.');
        return { stored, than: name as RangeOperator, value: read };
      }
    }
  }

  #containing(node: WhereValue, text: string, path: readonly string[]): ParsedFilter {
    const fault = lengthFault(text);
    return fault === undefined ? containing(node, text) : this.#violation(path, fault);
  }

  #list(given: unknown, path: readonly string[]): readonly unknown[] {
    if (!Array.isArray(given)) this.#violation(path, NULL);
    else if (given.length > MAX_VALUES) this.#violation(path, `may have at most ${MAX_VALUES} values.`);
    else return given;
    return [];
  }

  /** Null is an absent value, undefined an invalid one. */
  #read(node: WhereValue, given: unknown, path: readonly string[]): Comparable | undefined {
    if (typeof given === 'number' || typeof given === 'boolean') return given;
    const { value = null, problem } = parseValue(node, typeof given === 'string' ? given : null);
    if (problem === undefined) return value;
    this.#violation(path, problem);
    return undefined;
  }

  #violation(path: readonly string[], message: string): ParsedFilter {
    this.#violations.push({ parameter: path.join('.'), message });
    return NO_CONDITION;
  }
}

/** Matches by the indexed parts of the text, if there are any. */
function containing({ stored, folded, parts }: WhereValue, value: string): ParsedFilter {
  const text = folded === undefined ? value : normalForm(value).toLowerCase();
  const sought = parts === undefined ? [] : soughtParts(parts, text);
  return { stored: folded ?? stored, containing: text, folded: folded !== undefined, sought };
}

/** Applies the default of a field that may not be stored, which is never absent. */
function withOtherwise({ otherwise }: WhereValue, filter: ParsedFilter): ParsedFilter {
  if (otherwise === undefined) return filter;
  const meant = (values: readonly Comparable[]) =>
    values.filter((value) => value !== null).flatMap((value) => (value === otherwise ? [value, null] : [value]));
  if ('anyOf' in filter) return { stored: filter.stored, anyOf: meant(filter.anyOf) };
  return 'noneOf' in filter ? { stored: filter.stored, noneOf: meant(filter.noneOf) } : filter;
}

const NO_CONDITION: ParsedFilter = { all: [] };

/** References are lists in some places, and objects without an id if no workspace has their records. */
const absent = ({ stored, catalog }: WhereRelation): ParsedFilter =>
  catalog === undefined ? { stored, anyOf: [null] } : { stored, lacks: 'id' };

/** The given members; an omitted variable omits its member. */
const membersOf = (given: Where): readonly (readonly [string, unknown])[] =>
  Object.entries(given).filter(([, value]) => value !== undefined);

/** The conjunction of the parts; parts that state nothing are left out. */
function together(parts: readonly (ParsedFilter | undefined)[]): ParsedFilter | undefined {
  const said = parts.filter((part) => part !== undefined);
  return said.length > 1 ? { all: said } : said[0];
}

/** The disjunction of the branches; branches that state nothing are left out. */
function anyOfSaid(branches: readonly (ParsedFilter | undefined)[]): ParsedFilter | undefined {
  const said = branches.filter((branch) => branch !== undefined);
  return said.length > 0 || branches.length === 0 ? { any: said } : undefined;
}

/** An empty object requires that the related entity or list item exists; one whose members are all omitted does not. */
const askedToBe = (given: unknown): ParsedFilter | undefined =>
  isObject(given) && membersOf(given).length === 0 ? NO_CONDITION : undefined;

const NULL = 'is null: say what it is compared with (eq: null is an absent value), or leave it out.';

/** Texts with a case-folded form are looked up by that form, which is indexed. */
function anyOf({ stored, folded }: WhereValue, values: readonly Comparable[]): ParsedFilter {
  const texts = values.filter((value) => typeof value === 'string');
  return folded !== undefined && texts.length === values.length
    ? anyName(stored, folded, texts)
    : { stored, anyOf: values };
}
