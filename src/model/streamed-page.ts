/**
 * How many rows of a long list are in memory at a time. REST reads streamed lists in pages of this size, the domain keeps
 * the cursor of such a page open for the next one, and the store fetches batches of as many rows. If REST's pages were
 * smaller than what the domain considers long, each would be a new query, and a long list would take quadratic time.
 */
export const STREAMED_PAGE = 100;
