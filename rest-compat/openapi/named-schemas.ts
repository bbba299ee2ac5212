import type { JsonSchema } from '../declare/json-schema.ts';

/** The mark of a schema that deserves a name of its own in the document; code generators name its type by it. */
export const NAME = 'x-name';

/** Schemas by name. */
export type Named = Record<string, JsonSchema>;

export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/**
 * What is described, with references in place of the schemas that bear a name; they are added to `named`. Where two of
 * them bear the same name, the first has it.
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

/** A component without its title, which its own name makes superfluous; alternatives with a title get it as a name. */
export function component({ title: _, ...schema }: JsonSchema, isAnswer: boolean): JsonSchema {
  if (!Array.isArray(schema.anyOf)) return schema;
  const suffix = isAnswer ? '' : 'Body';
  const alternatives = (schema.anyOf as JsonSchema[]).map(({ title, ...part }) =>
    typeof title === 'string' ? { ...part, [NAME]: `${pascal(title)}${suffix}` } : part,
  );
  return { ...schema, anyOf: alternatives };
}

/** The words of a title as one name. */
export const pascal = (title: string): string =>
  title.replace(/\W*(\w)(\w*)/g, (_, first: string, rest: string) => `${first.toUpperCase()}${rest}`);
