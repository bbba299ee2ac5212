import { normalForm } from './normal-form.ts';

/** The catalogs of a workspace, by their canonical names (interface, "Catalogs"; contract §6). */
export const CATALOGS = [
  'clients',
  'vendors',
  'products',
  'locations',
  'transports',
  'uom',
  'tests',
  'testMethods',
  'eventTypes',
  'vcfTable',
] as const;
export type Catalog = (typeof CATALOGS)[number];

const ALIASES: Readonly<Record<string, Catalog>> = { methods: 'testMethods', timelogEvents: 'eventTypes' };

/** Every catalog name, aliases included. */
export const CATALOG_NAMES: readonly string[] = [...CATALOGS, ...Object.keys(ALIASES)];

/** The canonical name of a catalog or xtype; aliases are resolved, other names are returned unchanged. */
export const canonicalCatalog = (name: string): string =>
  Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;

/** The pattern of catalog names; ordinary HTTP clients remove `.` and `..` from paths. */
export const CATALOG_NAME = '^(?!\\.{1,2}$)[A-Za-z0-9_.-]+$';
const CATALOG_NAME_PATTERN = new RegExp(CATALOG_NAME);

/** Whether a catalog can have that name. */
export const isCatalogName = (name: string): boolean => CATALOG_NAME_PATTERN.test(name);

/** The comparison key of a name: case-insensitive and trimmed (contract §6). */
export const nameKey = (name: string): string => normalForm(name).trim().toLowerCase();
