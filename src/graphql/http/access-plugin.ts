import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import { operationOf } from '../execution/operation-of.ts';
import type { GraphqlRequest } from './graphql-request.ts';

/** Tells the access log which operation a request names: the first of the document while it is not known which one runs. */
export function accessPlugin(): Plugin<Context & GraphqlRequest> {
  return {
    onParse({ context }) {
      return ({ result }) => {
        if (isDocument(result)) context.logged.operation = nameOf(result);
      };
    },
    onExecute({ args }) {
      args.contextValue.logged.operation = nameOf(args.document, args.operationName);
    },
    onSubscribe({ args }) {
      const { logged } = args.contextValue;
      logged.operation = nameOf(args.document, args.operationName);
      logged.isStream = true;
    },
  };
}

const nameOf = (document: DocumentNode, name?: string | null): string | undefined =>
  operationOf(document, name ?? undefined)?.name?.value;

const isDocument = (parsed: unknown): parsed is DocumentNode =>
  (parsed as { kind?: unknown } | null)?.kind === 'Document';
