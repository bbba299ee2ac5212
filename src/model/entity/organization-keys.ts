import { nameKey } from '../catalogs.ts';
import { storedParts } from '../fields/text-parts.ts';
import { organizationType } from './entity-types.ts';

/** What nobody sees in a text: characters without a glyph of their own, control and format characters. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu;

/** What is seen of a name, letter case ignored: two organizations never have the same; empty where nothing is seen. */
export const visibleKey = (name: string): string => nameKey(name.replace(UNSEEN, ''));

/** What is stored beside an organization's body to find it by its name, and to compare that with others. */
export const organizationKeys = (name: string) => ({
  name_key: nameKey(name),
  visible_key: visibleKey(name),
  ...storedParts(organizationType.name, { name: nameKey(name) }),
});
