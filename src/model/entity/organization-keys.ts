import { nameKey } from '../catalogs.ts';
import { storedParts } from '../fields/text-parts.ts';
import { organizationType } from './entity-types.ts';

/** Invisible characters: those without a glyph of their own, control and format characters. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu;

/** The visible part of a name, case-insensitive: unique among organizations; empty if nothing is visible. */
export const visibleKey = (name: string): string => nameKey(name.replace(UNSEEN, ''));

/** The keys stored with an organization, to find it by name and to compare names. */
export const organizationKeys = (name: string) => ({
  name_key: nameKey(name),
  visible_key: visibleKey(name),
  ...storedParts(organizationType.name, { name: nameKey(name) }),
});
