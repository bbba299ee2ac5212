import { writeFile } from 'node:fs/promises';
import { GraphQLOneOfDirective, lexicographicSortSchema, printDirective, printSchema } from 'graphql';
import { schema } from '../../../schema/schema.ts';
import { PROGRAM } from '../../model/command-line.ts';
import { refuseAllBut } from '../arguments/words.ts';

export const USAGE = `${PROGRAM} schema`;

const FILE = new URL('../../../schema/schema.graphql', import.meta.url);

/** The schema as GraphQL text, in a fixed order: the content of schema/schema.graphql. It defines `@oneOf`, which older parsers lack. */
export const printedSchema = async (): Promise<string> =>
  `${printDirective(GraphQLOneOfDirective)}\n\n${printSchema(lexicographicSortSchema(schema))}\n`;

/** `npm run schema` writes schema/schema.graphql. */
export async function run(args: readonly string[]): Promise<number> {
  refuseAllBut([], args);
  await writeFile(FILE, await printedSchema());
  process.stdout.write('schema/schema.graphql is written.\n');
  return 0;
}
