import { ServiceError } from '../../../errors.ts';
import {
  type BeforeFile,
  type FormCredential,
  type FormFields,
  type FormParts,
  readParts,
} from '../../../http/bodies/multipart.ts';
import { FileForLater, type IncomingFile } from '../../../model/entity/file.ts';
import { parseJson } from '../../../model/exact-json.ts';
import { isObject, type JsonObject } from '../../../model/json.ts';
import type { GraphqlRequest } from '../graphql-request.ts';

/** Limits of a multipart request. */
interface MultipartLimits {
  readonly maxFileBytes: number;
  /** The maximum size of `operations` and of `map`, in bytes. */
  readonly fieldBytes: number;
  /** How long it may stall. */
  readonly stallMs: number;
  readonly credential: FormCredential;
}

/** The request in a form: its text, and its value with the file as its variable. */
interface FormRequest {
  readonly text: Buffer;
  readonly params: JsonObject;
}

/** The maximum total size of part headers, in bytes. */
const HEADER_BYTES = 64 * 1024;

/**
 * Reads a request by the GraphQL multipart request specification (`operations`, `map`, one file) and runs it as soon as its
 * file begins to arrive: the operation reads the file from the socket. Rejects if the form is invalid.
 */
export async function runMultipart(
  { req, res }: GraphqlRequest,
  { fieldBytes, ...limits }: MultipartLimits,
  run: (request: FormRequest) => Promise<void>,
): Promise<void> {
  const parts: FormParts = { fields: 2, fieldBytes, bytes: 2 * fieldBytes + HEADER_BYTES, endsWithForm: true };
  const form = await readParts(req, res, {
    ...limits,
    parts,
    take: async (file, before) => {
      await run(withFile(file, before));
      return true;
    },
    discard: async () => undefined,
  });
  if (form.file === undefined) await run(withoutFile(form.fields));
}

function withoutFile({ operations, map }: FormFields): FormRequest {
  const [part] = map === undefined ? [] : Object.keys(objectIn('map', map));
  if (part !== undefined) throw malformed(`has no file in the part ${JSON.stringify(part)}, which its map names.`);
  return { text: Buffer.from(String(operations)), params: objectIn('operations', operations) };
}

function withFile(file: IncomingFile, { part, fields }: BeforeFile): FormRequest {
  const params = objectIn('operations', fields.operations);
  const { variables } = params;
  const name = variableOf(part, objectIn('map', fields.map));
  if (!isObject(variables) || !Object.hasOwn(variables, name) || variables[name] !== null)
    throw malformed(
      `has no variable ${JSON.stringify(name)} in its operations that is null, in which to put the file.`,
    );
  const { name: fileName, mediaType, bytes } = file;
  const given = new FileForLater(fileName, mediaType, readOnce(bytes));
  const whole = { ...params, variables: { ...variables, [name]: given } };
  return { text: Buffer.from(String(fields.operations)), params: whole as unknown as JsonObject };
}

const PLACE = /^variables\.([^.]+)$/;

/** The variable that the map assigns a part's file to. */
function variableOf(part: string, map: JsonObject): string {
  const parts = Object.keys(map);
  if (parts.length > 1) throw malformed(`has a map of ${parts.length} files: send each file in a request of its own.`);
  const places = Object.hasOwn(map, part) ? map[part] : undefined;
  if (places === undefined)
    throw malformed(`has a file in the part ${JSON.stringify(part)}, which its map does not name.`);
  const [place] = Array.isArray(places) && places.length === 1 ? places : [];
  const name = typeof place === 'string' ? PLACE.exec(place)?.[1] : undefined;
  if (name !== undefined) return name;
  throw malformed(
    `has no map that puts the file in one variable, such as {${JSON.stringify(part)}: ["variables.file"]}.`,
  );
}

/** The object in a field of the form. */
function objectIn(field: 'operations' | 'map', text: unknown): JsonObject {
  if (text === undefined)
    throw malformed(`has no field "${field}" before its file; it is sent as operations, map and a file.`);
  let value: unknown;
  try {
    value = typeof text === 'string' ? parseJson(text) : undefined;
  } catch (error) {
    throw malformed(`has no JSON in its field "${field}": ${(error as Error).message}.`);
  }
  if (isObject(value)) return value;
  throw malformed(
    `must have one JSON object in its field "${field}", in UTF-8; lists of operations are not supported.`,
  );
}

/** Bytes that can be read only once: a second reader would see no bytes. */
function readOnce(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let isRead = false;
  return {
    [Symbol.asyncIterator]() {
      if (isRead) throw malformed('has one file, which the operation uploads twice.');
      isRead = true;
      return bytes[Symbol.asyncIterator]();
    },
  };
}

const malformed = (what: string): ServiceError => new ServiceError('INVALID_INPUT', `The multipart request ${what}`);
