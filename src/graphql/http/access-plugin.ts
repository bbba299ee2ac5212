import { type DocumentNode, Kind, type OperationDefinitionNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import { operationOf } from '../execution/operation-of.ts';
import type { GraphqlRequest } from './graphql-request.ts';

/** Records a request's operation in the access log: the document's first until it is known which one runs. */
export function accessPlugin(): Plugin<Context & GraphqlRequest> {
  return {
    onParse({ context }) {
      return ({ result }) => {
        if (isDocument(result)) context.logged.operation = nameOf(result);
      };
    },
    onExecute: ({ args }) => tell(args),
    onSubscribe({ args }) {
      tell(args);
      args.contextValue.logged.isStream = true;
    },
  };
}

/** Logs the name and the fields of the running operation. */
function tell({ contextValue: { logged }, document, operationName }: Running): void {
  const operation = operationOf(document, operationName ?? undefined);
  logged.operation = operation?.name?.value;
  logged.fields = operation && fieldsOf(operation);
}

const known = new WeakMap<OperationDefinitionNode, string | undefined>();

/** The names of an operation's fields; undefined if it has none of its own. */
function fieldsOf(operation: OperationDefinitionNode): string | undefined {
  if (known.has(operation)) return known.get(operation);
  const { selections } = operation.selectionSet;
  const fields = selections.flatMap((one) => (one.kind === Kind.FIELD ? one.name.value : [])).join(',') || undefined;
  known.set(operation, fields);
  return fields;
}

interface Running {
  readonly contextValue: GraphqlRequest;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
}

const nameOf = (document: DocumentNode): string | undefined => operationOf(document, undefined)?.name?.value;

const isDocument = (parsed: unknown): parsed is DocumentNode =>
  (parsed as { kind?: unknown } | null)?.kind === 'Document';
