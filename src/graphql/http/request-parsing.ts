import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { parseJson } from '../../model/exact-json.ts';
import { isObject } from '../../model/json.ts';
import type { GraphqlRequest } from './graphql-request.ts';
import { jsonIn } from './request-params.ts';

type Params = Readonly<Record<string, unknown>>;
type RequestParser = (request: Request) => unknown;

/**
 * Yoga parses addresses and forms, and bodies that the endpoint hands on. Their numbers are read as exactly as those of other
 * bodies (contract §13), and what cannot be read is a malformed request, whichever error Yoga throws.
 */
export function requestParsing(): Plugin<object, GraphqlRequest> {
  return {
    onRequestParse({ requestParser, setRequestParser, serverContext }) {
      if (!requestParser) return;
      const { json } = serverContext;
      serverContext.json = undefined; // a subscription would keep its value
      setRequestParser(async (request) => {
        try {
          return await parsedExactly(requestParser, request, json);
        } catch (error) {
          throw malformed(error);
        }
      });
    },
  };
}

/** Lets Yoga parse a request, whose JSON body may have been read before, and takes the numbers of what it read from the same text. */
async function parsedExactly(parse: RequestParser, request: Request, json: GraphqlRequest['json']): Promise<Params> {
  let exact: (params: Params) => Params = (params) => exactSearch(params, new URL(request.url).search);
  const readable: Pick<Request, 'url' | 'json' | 'text' | 'formData'> = {
    url: request.url,
    async json() {
      exact = (params) => params;
      return json ? json() : parseJson(await request.text());
    },
    async text() {
      const text = await request.text();
      exact = (params) => exactSearch(params, text);
      return text;
    },
    async formData() {
      const form = await request.formData().catch(throwClearly);
      exact = (params) => withNumbersOf(params, parseJson(String(form.get('operations')))) as Params;
      return form;
    },
  };
  const params = (await parse(readable as Request)) as Params;
  return exact(params);
}

/** A limit of the parser of forms, whose own text does not tell it. */
const MOST_FIELD_BYTES = 1024 * 1024;

function throwClearly(error: Error): never {
  if (!error.message.startsWith('Field value size exceeded')) throw error;
  const limit = `a field is larger than the ${MOST_FIELD_BYTES} bytes that are allowed; a request without files can be sent as JSON.`;
  throw new Error(limit, { cause: error });
}

/** Variables and extensions as they are in the text of a form or an address, and its documentId, which Yoga does not read. */
function exactSearch(params: Params, text: string): Params {
  const given = new URLSearchParams(text);
  const read = (name: string) => (params[name] === undefined ? undefined : jsonIn(given, name));
  const documentId = given.get('documentId') ?? undefined;
  return { ...params, documentId, variables: read('variables'), extensions: read('extensions') };
}

/** A value whose numbers are those of another one, which is the same beside them and the files of a form. */
function withNumbersOf(value: unknown, exact: unknown): unknown {
  if (typeof exact === 'number') return exact;
  if (Array.isArray(value) && Array.isArray(exact)) return value.map((item, at) => withNumbersOf(item, exact[at]));
  if (!isObject(value) || !isObject(exact)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withNumbersOf(member, exact[name])]);
  return Object.fromEntries(members);
}

function malformed(error: unknown): unknown {
  if (!(error instanceof Error) || (error instanceof GraphQLError && error.extensions.code !== undefined)) return error;
  const message = error instanceof GraphQLError ? error.message : `The request cannot be read: ${error.message}`;
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });
}
