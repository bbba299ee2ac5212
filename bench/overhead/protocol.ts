/** What the measuring process asks of the one that is measured, one question at a time. */
export type Question =
  /** What each variant has used since this was asked last; answered with `Used`. */
  | { readonly do: 'read' }
  /** The planted cost of a request, in microseconds. */
  | { readonly do: 'plant'; readonly microseconds: number }
  | { readonly do: 'stop' };

/** What the measured process says when all of its services listen: their addresses by variant. */
export interface Ready {
  readonly urls: Readonly<Record<string, string>>;
}

/** Processor time by variant, in microseconds. */
export type Used = Readonly<Record<string, number>>;
