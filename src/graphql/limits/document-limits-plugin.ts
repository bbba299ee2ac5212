import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Config } from '../../config.ts';
import type { Context } from '../../context.ts';
import { shortened } from '../../errors.ts';
import { requestError } from '../request-error.ts';
import { documentFaults } from './document-limits.ts';

/** Refuses a document for its text alone; what was found is remembered with the parsed document (contract §11). */
export function documentLimits(limits: Config['graphql']): Plugin<Context> {
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => {
        const document = parsed(() => parseFn(source, { ...options, maxTokens: limits.maxTokens }));
        const faults = documentFaults(document, limits);
        if (faults.length > 0) throw requestError('GRAPHQL_VALIDATION_FAILED', faults.join(' '));
        return document;
      });
    },
  };
}

/** How deep variables may nest: a body of 64 levels, and what is around it. */
const MAX_NESTING = 80;

/** Refuses variables that nest so deep that reading them could exhaust the stack. */
export function variableLimits(): Plugin<Context> {
  return {
    onParams({ params: { variables } }) {
      if (nestsTooDeeply(variables)) {
        throw requestError(
          'BAD_USER_INPUT',
          `The variables nest deeper than the ${MAX_NESTING} levels that are allowed.`,
        );
      }
    },
  };
}

/** Tells variables that may not be read further. */
export const nestsTooDeeply = (variables: unknown): boolean => isDeeper(variables, MAX_NESTING);

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** A syntax error repeats what it stumbled over, however long that is. */
const MAX_MESSAGE = 500;

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw new GraphQLError('The document nests too deeply.');
    if (error instanceof GraphQLError && error.message.length > MAX_MESSAGE) {
      throw new GraphQLError(shortened(error.message, MAX_MESSAGE));
    }
    throw error;
  }
}
