/** The size from which on a text or a request is large, in characters or bytes. */
const LARGE = 100_000;

/** Whether only the first error is looked for: each quotes the value that is wrong, and so may be as large as all of it. */
export const isLarge = (size: number): boolean => size > LARGE;

/** How graphql-js looks for the first error alone. */
export const FIRST_ERROR = { maxErrors: 1, hideSuggestions: true };
