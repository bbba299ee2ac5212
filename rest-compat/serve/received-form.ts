import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { Gateway, Operation } from '../../src/gateway.ts';
import { type Form, readForm, STALLED_MS } from '../../src/http/multipart.ts';
import type { IncomingFile } from '../../src/model/entity/file.ts';
import type { Sources } from '../declare/source.ts';
import type { FileSource } from '../sources/kinds/file.ts';
import type { Binding, Variables } from '../sources/source-kind.ts';

/** A file that GraphQL took in, and that belongs to nothing yet. */
export interface TakenFile {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
}

/** A form with its file taken in. */
export interface ReceivedForm extends Form<TakenFile> {
  /** What makes two forms the same (contract §11): fields, file name and file content. */
  readonly identity: Uint8Array;
  /** Gives the file up again. */
  discard(): Promise<void>;
}

/** The largest file where no limit is configured. */
const GIBIBYTE = 1024 ** 3;

/** The request whose form is received, as far as it matters to the form. */
interface FormRequest extends RequestInfo {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly viewer: Parameters<Gateway['open']>[0];
  readonly binding: Binding;
}

type RequestInfo = Parameters<Gateway['open']>[1];

/** Takes in the form of a request: rejects with what it is refused for. */
export type ReceiveForm = (request: FormRequest) => Promise<ReceivedForm>;

const fileSource = (sources: Sources): FileSource | undefined =>
  Object.values(sources).find((source): source is FileSource => source.from === 'file');

/**
 * Compiles how the form of an endpoint is taken in: the operation of its source runs while the file arrives, so the
 * file is in the service, or refused, before the endpoint's own operation begins. Undefined where there is no file.
 */
export function compileForm(sources: Sources, gateway: Gateway, maxFileBytes = GIBIBYTE): ReceiveForm | undefined {
  const source = fileSource(sources);
  if (source === undefined) return undefined;
  const [upload, discard] = [gateway.prepare(source.upload), gateway.prepare(source.discard)];
  return async (exchange) => {
    const context = gateway.open(exchange.viewer, exchange);
    const run = async (operation: Operation, file: IncomingFile | string): Promise<unknown> =>
      onlyValue(await gateway.run(operation, variablesOf(operation, { ...exchange.binding.variables, file }), context));
    const give = async ({ id }: TakenFile): Promise<void> => void (await run(discard, id).catch(() => undefined));
    exchange.request.setTimeout(STALLED_MS);
    try {
      const form = await readForm(exchange.request, exchange.response, {
        maxFileBytes,
        take: async (file) => (await run(upload, file)) as TakenFile,
        discard: give,
      });
      return { ...form, identity: identityOf(form), discard: () => give(form.file) };
    } finally {
      exchange.request.setTimeout(0);
      await context.dispose();
    }
  };
}

/** Those of the variables that an operation declares. */
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
