import { selectionOf, type View } from '../declare/view.ts';

/** What creation and lists answer. */
export const idAndBody: View = { id: 'id', body: 'body' };

/** What get, update and delete answer where the interface says "the body itself". */
export const bodyAlone: View = 'body';

/** The GraphQL fields behind both. */
export const bodyFields = selectionOf(idAndBody);

/** A catalog record in creation and lists: its legacy body is what was said about the item (interface, "Catalog record"). */
export const idAndItem: View = { id: 'id', body: 'item' };

/** A catalog record in get, update and delete. */
export const itemAlone: View = 'item';

/** The GraphQL fields behind both. */
export const itemFields = selectionOf(idAndItem);
