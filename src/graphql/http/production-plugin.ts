import { type ExecutionResult, GraphQLError } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Viewer } from '../../auth/viewer.ts';
import type { Context } from '../../context.ts';
import { forbidden, unauthenticated } from '../../errors.ts';
import { changedError } from '../changed-error.ts';
import { introspects } from '../limits/introspection-size.ts';
import type { GraphqlRequest } from './graphql-request.ts';

/**
 * In production every operation needs a credential, and introspection the scope `admin` (contract §11); for others, errors
 * do not suggest names in the schema either.
 */
export function productionGate(): Plugin<Context & GraphqlRequest> {
  return {
    onPluginInit({ plugins }) {
      plugins.push(shownValidation); // last: Yoga caches what administrators see
    },
    onExecute({ args, setResultAndStopExecution }) {
      const { viewer } = args.contextValue;
      const refusal = !viewer
        ? unauthenticated()
        : introspects(args.document) && !mayIntrospect(viewer)
          ? forbidden('Introspection is for keys with the scope admin.')
          : undefined;
      if (refusal) {
        const error = new GraphQLError(refusal.message, { extensions: refusal.extensions });
        setResultAndStopExecution({ errors: [error] });
        return undefined;
      }
      if (mayIntrospect(viewer)) return undefined;
      return { onExecuteDone: ({ result, setResult }) => hideSuggestions(result, setResult) };
    },
    onSubscribe({ args }) {
      if (mayIntrospect(args.contextValue.viewer)) return undefined;
      return { onSubscribeResult: ({ result, setResult }) => hideSuggestions(result, setResult) };
    },
  };
}

const shownValidation: Plugin<Context & GraphqlRequest> = {
  onValidate({ context }) {
    return ({ result, setResult }) => {
      const { logged } = context as GraphqlRequest;
      if (!mayIntrospect(logged.viewer)) setResult((result as readonly GraphQLError[]).map(withoutSuggestions));
    };
  },
};

const mayIntrospect = (viewer: Viewer | undefined): boolean => viewer?.scopes.has('admin') === true;

/** What graphql-js adds to an error about a name close to one in the schema. */
const SUGGESTION = / ?Did you mean [^?]*\?/g;

function withoutSuggestions(error: GraphQLError): GraphQLError {
  const message = error.message.replace(SUGGESTION, '');
  return message === error.message ? error : changedError(error, { message });
}

function hideSuggestions(result: unknown, setResult: (result: ExecutionResult) => void): void {
  if (isAsyncIterable(result)) return;
  const { errors } = result as ExecutionResult;
  if (errors) setResult({ ...(result as ExecutionResult), errors: errors.map(withoutSuggestions) });
}
