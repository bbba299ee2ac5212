import { writeFile } from 'node:fs/promises';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../../../schema/schema.ts';

const FILE = new URL('../../../schema/schema.graphql', import.meta.url);

/** The model as GraphQL text, in a fixed order: the content of schema/schema.graphql. */
export const printedSchema = async (): Promise<string> => `${printSchema(lexicographicSortSchema(schema))}\n`;

/** `npm run schema` writes schema/schema.graphql. */
export async function run(): Promise<void> {
  await writeFile(FILE, await printedSchema());
  process.stdout.write('schema/schema.graphql is written.\n');
}
