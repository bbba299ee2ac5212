import type { ExecutionResult } from 'graphql';
import type { Gateway, Operation } from '../../src/gateway.ts';
import { type Form, readForm, STALLED_MS } from '../../src/http/multipart.ts';
import { singleValue } from '../../src/http/query-string.ts';
import type { IncomingFile } from '../../src/model/entity/file.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import type { Source } from '../declare/source.ts';
import type { Exchange } from './exchange.ts';
import type { Bind, Variables } from './sources/bind.ts';

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

type FileSource = Source & { from: 'file' };

const fileSource = ({ variables }: Endpoint): FileSource | undefined =>
  Object.values(variables).find((source): source is FileSource => source.from === 'file');

/**
 * Compiles how the form of an endpoint is taken in: the operation of its source runs while the file arrives, so the
 * file is in the service, or refused, before the endpoint's own operation begins. Undefined where there is no file.
 */
export function compileForm(endpoint: Endpoint, gateway: Gateway, maxFileBytes = GIBIBYTE) {
  const source = fileSource(endpoint);
  if (source === undefined) return undefined;
  const [upload, discard] = [gateway.prepare(source.upload), gateway.prepare(source.discard)];
  return async (exchange: Exchange): Promise<ReceivedForm> => {
    const context = gateway.open(exchange.viewer, exchange);
    const run = async (operation: Operation, file: IncomingFile | string): Promise<unknown> =>
      onlyValue(await gateway.run(operation, variablesOf(operation, { ...exchange.variables, file }), context));
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

/** Binds a field of the form; the query parameter of the same name was bound before. Fields of other names are ignored. */
export function formBinder(variable: string, name: string): Bind {
  return ({ form, query, faults }, variables) => {
    const value = form?.fields[name];
    if (value === undefined || value === '') return;
    if (typeof value !== 'string') {
      faults.push({ path: `/${name}`, message: 'is given more than once, or is no text.' });
    } else if (singleValue(query, name, []) && variables[variable] !== value) {
      faults.push({ path: `/${name}`, message: 'differs from the query parameter of the same name.' });
    } else variables[variable] = value;
  };
}
