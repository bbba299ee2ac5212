import type { SourceKind } from '../source-kind.ts';

/** The paging state of a list longer than one GraphQL page; never sent by a client. */
export interface ContinuationSource<From extends 'cursor' | 'paging'> {
  readonly from: From;
}

/** The cursor at which the next page starts. */
export const fromCursor: ContinuationSource<'cursor'> = { from: 'cursor' };

/** Whether further pages follow, so that the operation must return the end cursor. */
export const fromPaging: ContinuationSource<'paging'> = { from: 'paging' };

/** Set by the reply itself, for each further page. */
export const continuation: SourceKind<ContinuationSource<'cursor' | 'paging'>> = { bind: () => ({}) };
