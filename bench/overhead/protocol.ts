/** What the measuring process asks the measured process, one question at a time. */
export type Question =
  /** Asks what each variant has used since the last such question; answered with `Used`. */
  | { readonly do: 'read' }
  /** Sets the planted cost of a request, in microseconds. */
  | { readonly do: 'plant'; readonly microseconds: number }
  | { readonly do: 'stop' };

/** What the measured process reports once all of its services listen: their addresses by variant. */
export interface Ready {
  readonly urls: Readonly<Record<string, string>>;
}

/** CPU time by variant, in microseconds. */
export type Used = Readonly<Record<string, number>>;
