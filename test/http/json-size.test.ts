import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultOfJsonSize } from '../../src/http/bodies/json-size.ts';
import '../property-seed.ts';
import { CALLERS, serviceFixture, workspaceFixture } from '../service.ts';

const MEBIBYTE = 1024 * 1024;
/** The least allowed, however small the maximum body is. */
const MOST = Math.floor((4 * MEBIBYTE) / 6);
const MOST_NAMES = 20_000;
const TOO_MANY = `The body has more than the ${MOST} JSON values that are allowed; arrays and objects count as two, and each member of an object as one more.`;
const TOO_MANY_NAMES = 'The body has more than the 20000 different names of members that are allowed.';

const TOO_MANY_MEMBERS =
  'The body has more than the 500000 members that are allowed; the first 100 of each object are not counted.';

describe('what a JSON text has too many of', () => {
  const faultOf = (text: string) => faultOfJsonSize(Buffer.from(text), MEBIBYTE)?.message;

  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
  /** Arrays and objects count as two, and each object member as one more. */
  const weightOf = (value: unknown): number =>
    isObject(value)
      ? Object.values(value).reduce((sum, one) => sum + weightOf(one) + (Array.isArray(value) ? 0 : 1), 2)
      : 1;
  const namesIn = (value: unknown): string[] =>
    isObject(value)
      ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(namesIn)]
      : [];

  const word = fc.oneof(fc.string(), fc.stringMatching(/^[[\]{},:"\\ü]*$/));
  const json = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 4 }, word, fc.integer(), fc.constant(null), tie('list'), tie('object')),
    list: fc.array(tie('any')),
    object: fc.dictionary(word, tie('any')),
  })).any;
  const indents = fc.constantFrom(0, 2);

  it('is its values as parsed, whatever its strings contain', () => {
    const property = fc.property(json, indents, (value, indent) => {
      const others = MOST - weightOf(value) - 3; // beside them there are the array, and a text to make it long
      const longText = 'x'.repeat(MEBIBYTE);
      const listWith = (zeros: number) => JSON.stringify([value, longText, ...Array(zeros).fill(0)], null, indent);
      expect([faultOf(listWith(others)), faultOf(listWith(others + 1))]).toEqual([undefined, TOO_MANY]);
    });
    fc.assert(property, { numRuns: 25 });
  });

  it('is its distinct names of members', () => {
    const property = fc.property(json, indents, (value, indent) => {
      const others = MOST_NAMES - new Set(namesIn(value)).size;
      const longText = 'x'.repeat(MEBIBYTE);
      const listWith = (names: number) => {
        const object = Object.fromEntries(Array.from({ length: names }, (_, at) => [`member-${at}`, at % 7]));
        return JSON.stringify([value, value, longText, object, object], null, indent);
      };
      expect([faultOf(listWith(others)), faultOf(listWith(others + 1))]).toEqual([undefined, TOO_MANY_NAMES]);
    });
    fc.assert(property, { numRuns: 25 });
  });

  it('is its members of large objects, the first hundred of each object not counted', () => {
    const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`member-${at}`, 1]));
    const whole = [...Array(49).fill(named(10_100)), ...Array(10).fill(named(100))];
    const listWith = (members: number) => JSON.stringify([...whole, { inner: named(100), ...named(members - 1) }]);
    const faults = [10_100, 10_101].map((members) => faultOfJsonSize(Buffer.from(listWith(members)), 32 * MEBIBYTE));
    expect(faults.map((fault) => fault?.message)).toEqual([undefined, TOO_MANY_MEMBERS]);
  });

  it('is nothing in a small one', () => {
    expect(faultOf('[],'.repeat(MEBIBYTE / 3))).toBe(undefined);
    expect(faultOf('[1,'.repeat(MEBIBYTE / 2))).toBe(TOO_MANY);
  });

  it.each(['"', '"\\', '{"a":"', '{:', ']}'])('is found in a text that is invalid JSON: %s', (end) => {
    expect(faultOf(`${' '.repeat(MEBIBYTE)}${end}`)).toBe(undefined);
    expect(faultOf(`${','.repeat(MEBIBYTE)}${end}`)).toBe(TOO_MANY);
  });
});

describe('a body with very many values', () => {
  const service = serviceFixture({ env: { MAX_BODY_BYTES: '4000000' } });
  const workspace = workspaceFixture(service);
  /** A value with others in it. */
  const listWith = (values: number) => Array.from({ length: values - 1 }, () => 10);

  it('is refused by GraphQL, whatever is asked, stating the limit', async () => {
    const ask = (values: number) =>
      service.ask('POST', '/graphql', {
        as: 'client',
        body: { query: '{ __typename }', variables: { some: listWith(values) } },
      });
    const [most, more] = [await ask(MOST - 9), await ask(MOST - 8)];
    expect(most.body).toEqual({ data: { __typename: 'Query' } });
    expect(more.body).toEqual({ errors: [{ message: TOO_MANY, extensions: { code: 'TOO_LARGE' } }] });
    expect(more.status).toBe(413);
  });

  it('is refused in a form by the size of its fields', async () => {
    const send = async (size: number) => {
      const body = new FormData();
      const whole = (comment: string) => JSON.stringify({ query: `{ __typename } #${comment}` });
      body.set('operations', whole('x'.repeat(size - whole('').length)));
      const headers = { Authorization: `Bearer ${CALLERS.client}` };
      const answer = await fetch(`${service.url}/graphql`, { method: 'POST', body, headers });
      return [answer.status, await answer.json()];
    };
    expect(await send(MEBIBYTE - 1)).toEqual([200, { data: { __typename: 'Query' } }]);
    const message = 'The form field operations is longer than 1048576 bytes.';
    expect(await send(MEBIBYTE + 1)).toEqual([413, { errors: [{ message, extensions: { code: 'TOO_LARGE' } }] }]);
  });

  it("is not looked for in a form's files", async () => {
    const body = new FormData();
    const query =
      'mutation ($document: UUID!, $file: Upload!) { uploadFile(document: $document, file: $file) { size } }';
    const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} });
    body.set('operations', JSON.stringify({ query, variables: { document: made.body.id, file: null } }));
    body.set('map', '{"0":["variables.file"]}');
    body.set('0', new Blob(['1,'.repeat(600_000)]));
    const headers = { Authorization: `Bearer ${CALLERS.client}` };
    const answer = await fetch(`${service.url}/graphql`, { method: 'POST', body, headers });
    expect(await answer.json()).toEqual({ data: { uploadFile: { size: 1_200_000 } } });
  });

  it('is not looked for in a body that is a GraphQL document', async () => {
    const headers = { Authorization: `Bearer ${CALLERS.client}`, 'Content-Type': 'application/graphql' };
    const body = `{ __typename ${','.repeat(MEBIBYTE)} }`;
    const answer = await fetch(`${service.url}/graphql`, { method: 'POST', body, headers });
    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
  });

  it('is refused by REST, and changes nothing; as many in a text count as one', async () => {
    const create = (custom: unknown) =>
      service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
        as: 'client',
        body: { custom },
      });
    const { body: before } = await service.ask('GET', `/workspaces/${workspace.id}/jobs`, { as: 'client' });
    const refused = await create(listWith(MOST - 3));
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([413, 'TOO_LARGE', TOO_MANY]);
    const made = [await create(listWith(MOST - 4)), await create('[],'.repeat(MOST))];
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    const { body } = await service.ask('GET', `/workspaces/${workspace.id}/jobs`, { as: 'client' });
    expect(body).toHaveLength(before.length + 2);
  });
});
