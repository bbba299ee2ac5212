import { GraphQLError, type GraphQLErrorOptions } from 'graphql';

interface Changes extends GraphQLErrorOptions {
  readonly message?: string;
}

/**
 * A copy of the error with these changes; whatever else is known of it stays, such as where in the document it arose. The
 * original error too, whose status counts for Yoga: leave it out (`originalError: undefined`) where the copy has its own.
 */
export function changedError(error: GraphQLError, { message = error.message, ...changes }: Changes): GraphQLError {
  const { nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions, ...changes });
}

/** The error without a status of its own, so that it does not change that of the response. */
export function withoutStatus(error: GraphQLError): GraphQLError {
  const { http, ...extensions } = error.extensions;
  return http === undefined ? error : changedError(error, { originalError: undefined, extensions });
}
