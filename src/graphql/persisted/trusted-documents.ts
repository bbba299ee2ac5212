import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type GraphQLSchema, parse, validate } from 'graphql';
import { isObject } from '../../model/json.ts';
import { type DocumentLimits, documentViolations } from '../limits/document-limits.ts';
import { hashOf, type TrustedDocuments } from './persisted-operations.ts';

/** One operation of a file, with its id in the file, if any. */
interface Found {
  readonly file: string;
  readonly id?: string;
  readonly text: string;
}

/**
 * Reads the operator's documents: a file, or every file of a folder. `.graphql` and `.gql` hold one document
 * each, `.json` is a manifest (Apollo's, or an object of ids and texts). Throws an Error that lists every violation.
 */
export function readTrustedDocuments(path: string, schema: GraphQLSchema, limits: DocumentLimits): TrustedDocuments {
  const found = foundIn(path);
  if (found.length === 0) throw new Error(`PERSISTED_OPERATIONS_PATH: there is no .graphql, .gql or .json in ${path}.`);
  const violations = found.flatMap(({ file, text }) =>
    violationsOf(text, schema, limits).map((violation) => `${file}: ${violation}`),
  );
  if (violations.length > 0) throw new Error(`Persisted operations that cannot run:\n${violations.join('\n')}`);
  const documents = new Map<string, string>();
  for (const { id, text } of found) {
    documents.set(hashOf(text), text);
    if (id !== undefined) documents.set(id, text);
  }
  return documents;
}

function foundIn(path: string): Found[] {
  try {
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
      : [path];
    return files.sort().flatMap(documentsIn);
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`PERSISTED_OPERATIONS_PATH=${JSON.stringify(path)} cannot be used: ${why}`, { cause: error });
  }
}

function documentsIn(file: string): Found[] {
  const kind = extname(file);
  if (kind === '.json') return inManifest(file, parsed(file));
  if (kind !== '.graphql' && kind !== '.gql') return [];
  const text = readFileSync(file, 'utf8');
  const trimmed = text.trim();
  return trimmed === text ? [{ file, text }] : [text, trimmed].map((each) => ({ file, text: each }));
}

function parsed(file: string): unknown {
  const text = readFileSync(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

function inManifest(file: string, manifest: unknown): Found[] {
  if (!isObject(manifest)) return [];
  if (!Array.isArray(manifest.operations)) {
    return Object.entries(manifest).flatMap(([id, text]) => (typeof text === 'string' ? [{ file, id, text }] : []));
  }
  return manifest.operations.flatMap((one: unknown) =>
    isObject(one) && typeof one.id === 'string' && typeof one.body === 'string'
      ? [{ file, id: one.id, text: one.body }]
      : [],
  );
}

function violationsOf(text: string, schema: GraphQLSchema, limits: DocumentLimits): string[] {
  try {
    const document = parse(text);
    const violations = documentViolations(document, limits);
    return violations.length > 0 ? violations : validate(schema, document).map(({ message }) => message);
  } catch (error) {
    return [(error as Error).message];
  }
}
