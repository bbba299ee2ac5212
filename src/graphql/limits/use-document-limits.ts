import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Config } from '../../config.ts';
import type { Context } from '../../context.ts';
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

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof RangeError ? new GraphQLError('The document nests too deeply.') : error;
  }
}
