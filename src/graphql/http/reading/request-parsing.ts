import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { mediaTypeOf } from '../../../http/media-type.ts';
import { parseJson } from '../../../model/exact-json.ts';
import type { GraphqlRequest } from '../graphql-request.ts';
import { jsonIn } from './request-params.ts';

type Params = Readonly<Record<string, unknown>>;
type RequestParser = (request: Request) => unknown;

/**
 * Yoga parses URLs, urlencoded forms, and bodies that the endpoint hands on; multipart requests were already read. Numbers
 * are read as exactly as in other bodies (contract §13), and unreadable input is a malformed request, whichever error Yoga
 * throws.
 */
export function requestParsing(): Plugin<object, GraphqlRequest> {
  return {
    onRequestParse({ requestParser, setRequestParser, serverContext }) {
      if (!requestParser) return;
      const { json, req } = serverContext;
      serverContext.json = undefined; // a subscription would retain its value
      setRequestParser(async (request) => {
        try {
          if (mediaTypeOf(req) === 'multipart/form-data') return json?.() as Params;
          return await parsedExactly(requestParser, request, json);
        } catch (error) {
          throw malformed(error);
        }
      });
    },
  };
}

/** Lets Yoga parse a request, whose JSON body may already be read, and takes the numbers from the same text, exactly. */
async function parsedExactly(parse: RequestParser, request: Request, json: GraphqlRequest['json']): Promise<Params> {
  const { search } = new URL(request.url);
  if (request.method === 'GET') checkJson(search);
  let exact: (params: Params) => Params = (params) => exactSearch(params, search);
  const readable: Pick<Request, 'url' | 'json' | 'text'> = {
    url: request.url,
    async json() {
      exact = (params) => params;
      return json ? json() : parseJson(await request.text());
    },
    async text() {
      const text = await request.text();
      checkJson(text);
      exact = (params) => exactSearch(params, text);
      return text;
    },
  };
  const params = (await parse(readable as Request)) as Params | undefined;
  const name = params?.operationName ?? '';
  if (typeof name !== 'string') throw new GraphQLError('operationName must be a string.');
  return exact(params as Params);
}

/** Throws an error that names the parameter of a form or URL that is not valid JSON. */
function checkJson(text: string): void {
  const given = new URLSearchParams(text);
  for (const name of ['variables', 'extensions']) {
    try {
      jsonIn(given, name);
    } catch (error) {
      throw new GraphQLError(`${name} is not valid JSON: ${(error as Error).message}.`);
    }
  }
}

/** Variables and extensions exactly as in the form or URL, and its documentId, which Yoga does not read. */
function exactSearch(params: Params, text: string): Params {
  const given = new URLSearchParams(text);
  const read = (name: string) => (params[name] === undefined ? undefined : jsonIn(given, name));
  const documentId = given.get('documentId') ?? undefined;
  return { ...params, documentId, variables: read('variables'), extensions: read('extensions') };
}

function malformed(error: unknown): unknown {
  if (!(error instanceof Error) || (error instanceof GraphQLError && error.extensions.code !== undefined)) return error;
  const message = error instanceof GraphQLError ? error.message : `The request cannot be read: ${error.message}`;
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });
}
