import {
  type ArgumentNode,
  type FieldNode,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;
type Measure = (value: unknown) => number | undefined;

/** A page size: `first` or `last`, and its field. */
export interface PageSize {
  readonly argument: ArgumentNode;
  readonly field: FieldNode;
}

interface Figure {
  readonly node: ValueNode;
  readonly measure: Measure;
  readonly page?: PageSize;
}

/** The figures of a request that its operation's cost depends on; undefined where an argument is absent or null. */
export type Figures = readonly (number | undefined)[];

/** The figures of an operation that variables set: page sizes, filters, orders. */
export class FigureList {
  readonly #figures: Figure[] = [];
  readonly #defaults: Variables;

  constructor(operation: OperationDefinitionNode) {
    this.#defaults = defaultsOf(operation);
  }

  /** Adds a measured value; returns the index of its figure. */
  add(node: ValueNode, measure: Measure): number {
    return this.#figures.push({ node, measure }) - 1;
  }

  /** Adds a page size. */
  addPage(page: PageSize): number {
    return this.#figures.push({ node: page.argument.value, measure: whole, page }) - 1;
  }

  constant(node: ValueNode): unknown {
    return valueFromASTUntyped(node);
  }

  /** The figures of a request with these variables. */
  of(given: Variables): Figures {
    if (this.#figures.length === 0) return NONE;
    const variables = { ...this.#defaults, ...given };
    return this.#figures.map(({ node, measure }) => measure(valueFromASTUntyped(node, variables)));
  }

  /** The page sizes of a request above `most`; one in a fragment counts once. */
  pagesAbove(most: number, figures: Figures): PageSize[] {
    const above = this.#figures.flatMap(({ page }, index) => (page && (figures[index] ?? 0) > most ? [page] : []));
    return [...new Map(above.map((page) => [page.argument, page])).values()];
  }
}

const NONE: Figures = [];

/** The default values of an operation's variables. */
export const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Variables =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );

const whole: Measure = (value) => (typeof value === 'number' ? value : undefined);
