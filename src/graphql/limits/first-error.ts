/** The size above which a text or a request is large, in characters or bytes. */
const LARGE = 100_000;

/** Whether to look for the first error only: each quotes the invalid value, and may be as large as the whole input. */
export const isLarge = (size: number): boolean => size > LARGE;

/** graphql-js options for the first error only. */
export const FIRST_ERROR = { maxErrors: 1, hideSuggestions: true };
