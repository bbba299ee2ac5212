import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Yoga parses addresses and forms; what it cannot read of them is a malformed request, whichever error it throws. */
export function unreadableRequests(): Plugin {
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (!requestParser) return;
      setRequestParser(async (request) => {
        try {
          return await requestParser(request);
        } catch (error) {
          throw malformed(error);
        }
      });
    },
  };
}

function malformed(error: unknown): unknown {
  if (!(error instanceof Error) || (error instanceof GraphQLError && error.extensions.code !== undefined)) return error;
  const message = error instanceof GraphQLError ? error.message : `The request cannot be read: ${error.message}`;
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });
}
