import type { SourceKind } from '../source-kind.ts';

/** A value that does not depend on the request. */
export interface ConstantSource {
  readonly from: 'constant';
  readonly value: unknown;
}

/** A value that does not depend on the request. */
export const constant = (value: unknown): ConstantSource => ({ from: 'constant', value });

export const constantKind: SourceKind<ConstantSource> = {
  bind: ({ value }, { variable }) => ({
    path: (_, { variables }) => {
      variables[variable] = value;
    },
  }),
};
