import { selectionOf, type View } from '../declare/view.ts';

/** The response of creation and of each item of a list. */
export const idAndBody: View = { id: 'id', body: 'body' };

/** The response of get, update and delete: "the body itself" in the interface. */
export const bodyAlone: View = 'body';

/** The GraphQL fields behind both. */
export const bodyFields = selectionOf(idAndBody);

/** A catalog record in creation and lists: its legacy body has only the members about the item (interface, "Catalog record"). */
export const idAndItem: View = { id: 'id', body: 'item' };

/** A catalog record in get, update and delete. */
export const itemAlone: View = 'item';

/** The GraphQL fields behind both. */
export const itemFields = selectionOf(idAndItem);
