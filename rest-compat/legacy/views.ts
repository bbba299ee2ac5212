import { selectionOf, type View } from '../view.ts';

/** What creation and lists answer. */
export const idAndBody: View = { id: 'id', body: 'body' };

/** What get, update and delete answer where the interface says "the body itself". */
export const bodyAlone: View = 'body';

/** The GraphQL fields behind both. */
export const bodyFields = selectionOf(idAndBody);
