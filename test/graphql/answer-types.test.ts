import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const JSON_TYPE = 'application/json; charset=utf-8';
const RESPONSE_TYPE = 'application/graphql-response+json; charset=utf-8';
const KNOWN = '{"query":"{ viewer { __typename } }"}';
/** A valid request, and requests that fail before anything runs. */
const REQUESTS = {
  known: KNOWN,
  invalid: '{"query":"{ jobsX }"}',
  unparsed: '{"query":"{"}',
  unknownHash: '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"aaaa"}}}',
  empty: '{}',
};

async function answer(accept: string, body: string, type = 'application/json') {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { authorization: 'Bearer demo-client-key', 'content-type': type, accept },
    body,
  });
  const { status, headers } = response;
  return {
    status,
    type: headers.get('content-type'),
    coding: headers.get('content-encoding'),
    text: await response.text(),
  };
}

/** The media types of the answers to all requests. */
async function typesFor(accept: string) {
  const answers = Object.values(REQUESTS).map((body) => answer(accept, body));
  const types = new Set((await Promise.all(answers)).map(({ type }) => type));
  return [...types];
}

describe('the media type of an answer', () => {
  it.each([
    ['application/json', JSON_TYPE],
    ['application/json;charset=iso-8859-1', JSON_TYPE],
    ['application/json; indent=4', JSON_TYPE],
    ['application/graphql-response+json;charset=iso-8859-1', RESPONSE_TYPE],
    ['application/graphql-response+json;q=0.1, application/json;q=0.9', JSON_TYPE],
    ['application/json;q=0.1, application/graphql-response+json', RESPONSE_TYPE],
    ['application/json;q=0, */*', RESPONSE_TYPE],
    ['application/graphql-response+json, application/json', RESPONSE_TYPE],
    ['multipart/mixed, application/json;q=0.9', JSON_TYPE],
    ['text/html, */*;q=0.1', JSON_TYPE],
    ['*', JSON_TYPE],
  ])('for %s is %s, whether the document is valid or not', async (accept, type) => {
    expect(await typesFor(accept)).toEqual([type]);
  });

  it('determines the status of errors, as in GraphQL over HTTP', async () => {
    const { invalid } = REQUESTS;
    expect((await answer('application/json;charset=iso-8859-1', invalid)).status).toBe(200);
    expect((await answer('application/graphql-response+json;q=0.1, application/json', invalid)).status).toBe(200);
    expect((await answer('application/json;q=0.1, application/graphql-response+json', invalid)).status).toBe(400);
  });

  it.each([
    ['application/json', 200, 400],
    ['application/graphql-response+json', 400, 400],
    ['text/event-stream', 200, 400],
  ])('%s has %i if a document lacks the operation, and %i for an invalid request', async (accept, one, none) => {
    const query = 'query A { __typename } query B { __typename }';
    const documents = [
      { query: 'query A { __typename }', operationName: 'B' },
      { query, operationName: 'C' },
      { query },
      { query: 'fragment F on Query { __typename }' },
    ];
    const got = async (body: string) => {
      const { status, text } = await answer(accept, body);
      return [status, text.includes('"code":"BAD_USER_INPUT"')];
    };
    for (const body of documents) expect([body, await got(JSON.stringify(body))]).toEqual([body, [one, true]]);
    for (const body of ['{}', '[]', '{']) expect([body, await got(body)]).toEqual([body, [none, true]]);
  });

  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream;charset=iso-8859-1', 'text/event-stream'],
    ['text/event-stream, application/json;q=0', 'text/event-stream'],
    ['text/event-stream, application/json', JSON_TYPE],
    ['text/event-stream;q=0, application/json', JSON_TYPE],
  ])('for %s is %s', async (accept, type) => {
    expect(await typesFor(accept)).toEqual([type]);
  });

  it('is an event stream without Content-Encoding, for errors too', async () => {
    for (const [name, body] of Object.entries(REQUESTS)) {
      const { coding, text } = await answer('text/event-stream', body);
      expect([name, coding, text.includes('event: complete')]).toEqual([name, null, true]);
    }
  });

  it('is the same when Yoga reads the body', async () => {
    const accept = 'application/graphql-response+json;q=0.1, application/json;charset=iso-8859-1';
    for (const query of ['{ viewer { __typename } }', '{ jobsX }']) {
      expect((await answer(accept, query, 'application/graphql')).type).toBe(JSON_TYPE);
    }
  });

  it('for a subscription explains its refusal if neither a stream nor JSON is accepted', async () => {
    const subscription = '{"query":"subscription { documentChanged { kind } }"}';
    const { status, type, text } = await answer('multipart/mixed', subscription);
    expect([status, type]).toEqual([406, JSON_TYPE]);
    const [error] = JSON.parse(text).errors;
    expect([error.extensions.code, error.message]).toEqual([
      'NOT_ACCEPTABLE',
      expect.stringContaining('text/event-stream'),
    ]);
  });

  it('that we cannot produce is refused', async () => {
    for (const body of Object.values(REQUESTS)) {
      const { status, text } = await answer('image/png', body);
      expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([406, 'NOT_ACCEPTABLE']);
    }
  });
});

describe('a subscription', () => {
  const query = () => `subscription { documentChanged(workspace: "${workspace.id}") { documentId } }`;

  it.each([
    'text/event-stream; charset=utf-8',
    'text/event-stream;v=1',
    'application/json;q=0.5, text/event-stream',
    'text/*',
  ])('opens a stream for %s', async (accept) => {
    for (const [type, body] of [
      ['application/json', JSON.stringify({ query: query() })],
      ['application/graphql', query()],
    ] as const) {
      const stop = new AbortController();
      const { status, headers } = await fetch(`${service.url}/graphql`, {
        ...{ method: 'POST', body, signal: stop.signal },
        headers: { authorization: 'Bearer demo-client-key', 'content-type': type, accept },
      });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
      stop.abort();
    }
  });

  it.each(['application/json', 'text/event-stream;q=0, application/json'])(
    'tells %s which types it needs',
    async (accept) => {
      const { type, text } = await answer(accept, JSON.stringify({ query: query() }));
      expect([type, JSON.parse(text).errors[0].extensions.code]).toEqual([JSON_TYPE, 'BAD_USER_INPUT']);
    },
  );
});
