import type { JsonSchema } from '../declare/json-schema.ts';

/** The reusable parts of a document, by kind and name. */
export type Components = Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;

/** The components that are referenced, directly or indirectly. */
export function referredTo(something: unknown, components: Components): Components {
  const kept: Record<string, Record<string, JsonSchema>> = {};
  const visit = (place: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(place).matchAll(REFERENCE)) {
      const found = components[kind]?.[name];
      const ofKind = kept[kind] ?? {};
      kept[kind] = ofKind;
      if (found === undefined || name in ofKind) continue;
      ofKind[name] = found;
      visit(found);
    }
  };
  visit(something);
  return kept;
}

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g;
