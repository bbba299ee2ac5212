/**
 * How many rows of a long list are in memory at a time. REST asks for its streamed lists in pages of this size, the domain
 * keeps the cursor of such a page open for the next one, and the store fetches as many rows at once: were REST's pages
 * smaller than what the domain takes for long, each would be found anew, and a long list would take quadratic time.
 */
export const STREAMED_PAGE = 100;
