import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { Gateway, Operation } from '../../src/gateway.ts';
import { type Form, type FormCredential, readForm } from '../../src/http/bodies/multipart.ts';
import { problemOf } from '../../src/http/problem.ts';
import { IncomingFile } from '../../src/model/entity/file.ts';
import type { Sources } from '../declare/source.ts';
import type { FileSource } from '../sources/kinds/file.ts';
import type { Binding, Variables } from '../sources/source-kind.ts';
import { isKept } from './idempotency.ts';

/** An uploaded file that is not attached yet. */
interface TakenFile {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
}

/** A file that was refused, but read to its end all the same. */
interface RefusedFile extends Omit<TakenFile, 'id'> {
  readonly refusal: unknown;
}

/** A form with its file uploaded. */
export interface ReceivedForm extends Form<TakenFile> {
  /** Discards the file. */
  discard(): Promise<void>;
}

/** The outcome of a form that arrived completely. */
interface FormReception {
  /** The fingerprint of the form (contract §11): fields, file name and file contents. */
  readonly identity: Uint8Array;
  /** The form, or why its file was refused. */
  readonly outcome: { readonly form: ReceivedForm } | { readonly refusal: unknown };
}

/** The limits of a form: the size of its file, and how long it may stall. */
interface FormLimits {
  readonly maxFileBytes: number;
  readonly stallMs: number;
}

/** The parts of a request that receiving its form needs. */
interface FormRequest extends RequestInfo {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly viewer: Parameters<Gateway['open']>[0];
  readonly binding: Binding;
  /** When it started, by performance.now(). */
  readonly started: number;
}

type RequestInfo = Parameters<Gateway['open']>[1];

/**
 * Receives the form of a request; rejects with the error to respond with. With `readsRefused`, a form whose file is refused is
 * read to its end, to identify which form was refused; without it, the promise rejects at once.
 */
export type ReceiveForm = (request: FormRequest, readsRefused: boolean) => Promise<FormReception>;

const fileSource = (sources: Sources): FileSource | undefined =>
  Object.values(sources).find((source): source is FileSource => source.from === 'file');

/**
 * Compiles the receiver of an endpoint's form: its upload operation runs while the file arrives, so that the file is
 * stored or rejected before the endpoint's own operation starts. Undefined if the endpoint takes no file.
 */
export function compileForm(sources: Sources, gateway: Gateway, limits: FormLimits): ReceiveForm | undefined {
  const source = fileSource(sources);
  if (source === undefined) return undefined;
  const [upload, discard] = [gateway.prepare(source.upload), gateway.prepare(source.discard)];
  return async (exchange, readsRefused) => {
    const context = gateway.open(exchange.viewer, exchange);
    const run = async (operation: Operation, file: IncomingFile | string): Promise<unknown> =>
      onlyValue(await gateway.run(operation, variablesOf(operation, { ...exchange.binding.variables, file }), context));
    const credential: FormCredential = {
      checked: exchange.started,
      recheck: (checked) => gateway.recheck(exchange.request, checked),
    };
    const take = async (file: IncomingFile): Promise<TakenFile> => {
      await credential.recheck(credential.checked);
      return (await run(upload, file)) as TakenFile;
    };
    const give = async (file: TakenFile | RefusedFile): Promise<void> => {
      if ('id' in file) await run(discard, file.id).catch(() => undefined);
    };
    try {
      const form = await readForm<TakenFile | RefusedFile>(exchange.request, exchange.response, {
        ...limits,
        credential,
        take: readsRefused ? (file) => takeOrReadOn(file, take) : take,
        discard: give,
      });
      return { identity: identityOf(form), outcome: outcomeOf(form, give) };
    } finally {
      await context.dispose();
    }
  };
}

/** Takes a file; reads a refused one to its end, unless the file itself or the service is to blame. */
async function takeOrReadOn(
  { name, mediaType, bytes }: IncomingFile,
  take: (file: IncomingFile) => Promise<TakenFile>,
): Promise<TakenFile | RefusedFile> {
  const read = new HashedBytes(bytes);
  try {
    return await take(new IncomingFile(name, mediaType, read));
  } catch (refusal) {
    if (read.isBroken || !isKept(problemOf(refusal).status)) throw refusal;
    return { refusal, name, sha256: await read.end() };
  }
}

/** Bytes that are hashed as they are read; another reader can continue where one gave up. */
class HashedBytes implements AsyncIterable<Uint8Array> {
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #hash = createHash('sha256');
  /** Whether the bytes were cut off. */
  isBroken = false;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#pieces = bytes[Symbol.asyncIterator]();
  }

  /** The iterator has no `return`, which would end the bytes with their first reader. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return { next: () => this.#next() };
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    try {
      const piece = await this.#pieces.next();
      if (!piece.done) this.#hash.update(piece.value);
      return piece;
    } catch (error) {
      this.isBroken = true;
      throw error;
    }
  }

  /** Reads the rest, and returns the SHA-256 of all bytes in hexadecimal. */
  async end(): Promise<string> {
    while (!(await this.#next()).done);
    return this.#hash.digest('hex');
  }
}

function outcomeOf(
  form: Form<TakenFile | RefusedFile>,
  give: (file: TakenFile) => Promise<void>,
): FormReception['outcome'] {
  const { fields, file } = form;
  return 'refusal' in file ? { refusal: file.refusal } : { form: { fields, file, discard: () => give(file) } };
}

/** The subset of variables that an operation declares. */
function variablesOf({ definition }: Operation, given: Variables): Variables {
  const names = (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  return Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));
}

function onlyValue({ data, errors }: ExecutionResult): unknown {
  const [error] = errors ?? [];
  if (error) throw error;
  return Object.values(data ?? {})[0];
}

function identityOf({ fields, file }: Form<TakenFile | RefusedFile>): Uint8Array {
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify([sorted, file.name, file.sha256]));
}
