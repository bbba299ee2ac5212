import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { Gateway, Operation } from '../../src/gateway.ts';
import { type Form, readForm } from '../../src/http/bodies/multipart.ts';
import type { IncomingFile } from '../../src/model/entity/file.ts';
import type { Sources } from '../declare/source.ts';
import type { FileSource } from '../sources/kinds/file.ts';
import type { Binding, Variables } from '../sources/source-kind.ts';

/** An uploaded file that is not attached yet. */
export interface TakenFile {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
}

/** A form with its file uploaded. */
export interface ReceivedForm extends Form<TakenFile> {
  /** The fingerprint of the form (contract §11): fields, file name and file contents. */
  readonly identity: Uint8Array;
  /** Discards the file. */
  discard(): Promise<void>;
}

/** What a form may be: the size of its file, and for how long nothing of it may arrive. */
export interface FormLimits {
  readonly maxFileBytes: number;
  readonly stallMs: number;
}

/** The parts of a request that receiving its form needs. */
interface FormRequest extends RequestInfo {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly viewer: Parameters<Gateway['open']>[0];
  readonly binding: Binding;
}

type RequestInfo = Parameters<Gateway['open']>[1];

/** Receives the form of a request; rejects with the error to respond with. */
export type ReceiveForm = (request: FormRequest) => Promise<ReceivedForm>;

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
  return async (exchange) => {
    const context = gateway.open(exchange.viewer, exchange);
    const run = async (operation: Operation, file: IncomingFile | string): Promise<unknown> =>
      onlyValue(await gateway.run(operation, variablesOf(operation, { ...exchange.binding.variables, file }), context));
    const give = async ({ id }: TakenFile): Promise<void> => void (await run(discard, id).catch(() => undefined));
    try {
      const form = await readForm(exchange.request, exchange.response, {
        ...limits,
        take: async (file) => (await run(upload, file)) as TakenFile,
        discard: give,
      });
      return { ...form, identity: identityOf(form), discard: () => give(form.file) };
    } finally {
      await context.dispose();
    }
  };
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

function identityOf({ fields, file }: Form<TakenFile>): Uint8Array {
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify([sorted, file.name, file.sha256]));
}
