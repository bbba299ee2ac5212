/** Values as expressions of an update by a pipeline, which never reads them as expressions themselves. */
export const literal = (values: object): Record<string, { readonly $literal: unknown }> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { $literal: value }]));
