import type { SourceKind } from '../source-kind.ts';

/** How a list that is longer than one page of GraphQL goes on; never sent by a client. */
export interface ContinuationSource<From extends 'cursor' | 'paging'> {
  readonly from: From;
}

/** Where the operation goes on when a list is longer than one page. */
export const fromCursor: ContinuationSource<'cursor'> = { from: 'cursor' };

/** Whether the list goes on by pages, so that the operation must tell where the next begins. */
export const fromPaging: ContinuationSource<'paging'> = { from: 'paging' };

/** Set by the reply itself, when it goes on to a next page. */
export const continuation: SourceKind<ContinuationSource<'cursor' | 'paging'>> = { bind: () => ({}) };
