/** Values as literals in a pipeline update, so that they are never evaluated as expressions. */
export const literal = (values: object): Record<string, { readonly $literal: unknown }> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { $literal: value }]));
