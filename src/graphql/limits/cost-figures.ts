import { type OperationDefinitionNode, type ValueNode, valueFromASTUntyped } from 'graphql';

type Variables = Readonly<Record<string, unknown>>;
type Measure = (value: unknown) => number | undefined;

interface Figure {
  readonly node: ValueNode;
  readonly measure: Measure;
  readonly isPage: boolean;
}

/** The figures of a request that the cost of its operation depends on; undefined where an argument is absent or null. */
export type Figures = readonly (number | undefined)[];

/** What of an operation depends on its variables: page sizes, filters, orders. */
export class FigureList {
  readonly #figures: Figure[] = [];
  readonly #defaults: Variables;

  constructor({ variableDefinitions = [] }: OperationDefinitionNode) {
    this.#defaults = Object.fromEntries(
      variableDefinitions.flatMap(({ variable, defaultValue }) =>
        defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
      ),
    );
  }

  /** Adds what is measured of a value; the index of the figure. */
  add(node: ValueNode, measure: Measure): number {
    return this.#figures.push({ node, measure, isPage: false }) - 1;
  }

  /** Adds a page size. */
  addPage(node: ValueNode): number {
    return this.#figures.push({ node, measure: whole, isPage: true }) - 1;
  }

  constant(node: ValueNode): unknown {
    return valueFromASTUntyped(node);
  }

  /** The figures of a request with those variables. */
  of(given: Variables): Figures {
    if (this.#figures.length === 0) return NONE;
    const variables = { ...this.#defaults, ...given };
    return this.#figures.map(({ node, measure }) => measure(valueFromASTUntyped(node, variables)));
  }

  /** The largest page size among the figures of a request. */
  largestPage(figures: Figures): number {
    return Math.max(0, ...this.#figures.map(({ isPage }, index) => (isPage ? (figures[index] ?? 0) : 0)));
  }
}

const NONE: Figures = [];

const whole: Measure = (value) => (typeof value === 'number' ? value : undefined);
