import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Config } from '../../config.ts';
import type { Context } from '../../context.ts';
import { shortened } from '../../errors.ts';
import { requestError } from '../request-error.ts';
import { documentViolations } from './document-limits.ts';

/** The maximum number of comments: each is kept with the document, however short it is. */
const MAX_COMMENTS = 1_000;
/** The maximum number of lines: each error counts those before it. */
const MAX_LINES = 10_000;

/** Rejects a document that exceeds the static limits; the outcome is cached with the parsed document (contract §11). */
export function documentLimits(limits: Config['graphql']): Plugin<Context> {
  return {
    onParse({ parseFn, setParseFn }) {
      const { maxTokens } = limits;
      setParseFn((source, options) => {
        checkLines(typeof source === 'string' ? source : source.body);
        const document = parsed(() => parseFn(source, { ...options, maxTokens, maxComments: MAX_COMMENTS }));
        const violations = parsed(() => documentViolations(document, limits));
        if (violations.length > 0) throw requestError('GRAPHQL_VALIDATION_FAILED', violations.join(' '));
        return document;
      });
    },
  };
}

function checkLines(text: string): void {
  const lineEnd = /\r\n|\n|\r/g;
  let lines = 1;
  while (lineEnd.test(text)) {
    lines++;
    if (lines > MAX_LINES)
      throw requestError('GRAPHQL_PARSE_FAILED', `The document has more than the ${MAX_LINES} lines that are allowed.`);
  }
}

/** The maximum nesting of variables: a body of 64 levels and the objects around it. */
const MAX_NESTING = 80;

/** Rejects variables so deeply nested that coercion could overflow the stack. */
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

/** Whether variables are rejected. */
export const nestsTooDeeply = (variables: unknown): boolean => isDeeper(variables, MAX_NESTING);

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** The maximum length of a syntax error, which quotes the unexpected text. */
const MAX_MESSAGE = 500;

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw requestError('GRAPHQL_PARSE_FAILED', 'The document nests too deeply.');
    if (error instanceof GraphQLError && error.message.length > MAX_MESSAGE) {
      throw requestError('GRAPHQL_PARSE_FAILED', shortened(error.message, MAX_MESSAGE));
    }
    throw error;
  }
}
