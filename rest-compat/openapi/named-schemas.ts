import type { JsonSchema } from '../declare/json-schema.ts';

/** Marks a schema that gets its own name in the document; code generators name its type after it. */
export const NAME = 'x-name';

/** Schemas by name. */
export type Named = Record<string, JsonSchema>;

export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/**
 * The description with references in place of named schemas, which are added to `named`. If two schemas have the same name,
 * the first one keeps it.
 */
export function withNames<T>(described: T, named: Named): T {
  if (Array.isArray(described)) return described.map((one) => withNames(one, named)) as T;
  if (typeof described !== 'object' || described === null) return described;
  const { [NAME]: name, ...members } = described as Readonly<Record<string, unknown>>;
  const inner = Object.fromEntries(Object.entries(members).map(([key, member]) => [key, withNames(member, named)]));
  if (typeof name !== 'string') return inner as T;
  named[name] ??= inner;
  if (JSON.stringify(named[name]) !== JSON.stringify(inner)) return inner as T;
  return schemaRef(name) as T;
}

/** A component without its title, which its name makes redundant; titled alternatives get their title as a name. */
export function component({ title: _, ...schema }: JsonSchema, isAnswer: boolean): JsonSchema {
  if (!Array.isArray(schema.anyOf)) return schema;
  const suffix = isAnswer ? '' : 'Body';
  const alternatives = (schema.anyOf as JsonSchema[]).map(({ title, ...part }) =>
    typeof title === 'string' ? { ...part, [NAME]: `${pascal(title)}${suffix}` } : part,
  );
  return { ...schema, anyOf: alternatives };
}

/** A title in PascalCase. */
export const pascal = (title: string): string =>
  title.replace(/\W*(\w)(\w*)/g, (_, first: string, rest: string) => `${first.toUpperCase()}${rest}`);
