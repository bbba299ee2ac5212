import { describe, expect, it } from 'vitest';
import { endpoint } from '../../rest-compat/declare/endpoint.ts';
import { one } from '../../rest-compat/declare/reply.ts';
import { fromPath } from '../../rest-compat/declare/source.ts';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { restHandler } from '../../rest-compat/serve/router.ts';
import { v2 } from '../../rest-compat/v2/family.ts';
import { fakeGateway } from './pipeline/fake-service.ts';
import { bridgeRoutes, legacyRoutes, referenceRoutes, v2Routes } from './routes-of-the-interface.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const served = (family: string) =>
  endpoints.filter((each) => each.family.name === family).map(({ method, path }) => `${method} ${path}`);

describe('the table of endpoints', () => {
  it.each([
    ['bridge', bridgeRoutes],
    ['v2', v2Routes],
    ['legacy', legacyRoutes],
    ['reference', referenceRoutes],
  ])('serves the routes of %s in the interface, and no others', (family, { built, notYet, added = [] }) => {
    expect(served(family).sort()).toEqual([...built, ...added].sort());
    expect(notYet.filter((route) => served(family).includes(route))).toEqual([]);
  });

  it('names each endpoint once', () => {
    expect(new Set(endpoints.map(({ id }) => id)).size).toBe(endpoints.length);
  });

  it('has no more planned routes than the whole interface', () => {
    expect(bridgeRoutes.built.length + bridgeRoutes.notYet.length).toBe(4);
    expect(referenceRoutes.built.length + referenceRoutes.notYet.length).toBe(16);
    expect(v2Routes.built.length + v2Routes.notYet.length).toBe(30);
    expect(legacyRoutes.built.length + legacyRoutes.notYet.length).toBe(44);
  });
});

describe('an invalid endpoint', () => {
  const declared = (over: object) =>
    endpoint(v2, {
      id: 'v2.test.get',
      route: 'GET /test/{id}',
      summary: 'For a test.',
      operation: 'query T($id: UUID!) { workspace(id: $id) { id versionId } }',
      variables: { id: fromPath('id') },
      reply: one({ id: 'id' }),
      errors: [],
      ...over,
    });
  const start = (over: object) => () => restHandler([declared(over)], fakeGateway({}), { log, maxBodyBytes: 1 });

  it.each([
    [
      'an operation that the schema does not have',
      { operation: '{ nothing }' },
      /Endpoint v2.test.get: Cannot query field "nothing"/,
    ],
    [
      'a required variable without a source',
      { variables: {} },
      /Endpoint v2.test.get: the variable \$id has no source/,
    ],
    ['a source for no variable', { variables: { id: fromPath('id'), x: fromPath('id') } }, /has no variable \$x/],
    ['a path parameter that is not there', { variables: { id: fromPath('other') } }, /has no parameter \{other\}/],
    ['a view of a field that is not there', { reply: one({ a: 'nothing' }) }, /names the field nothing/],
  ])('stops the start: %s', (_, over, message) => {
    expect(start(over)).toThrow(message);
  });

  it('stops the start if listed twice', () => {
    expect(() => restHandler([declared({}), declared({})], fakeGateway({}), { log, maxBodyBytes: 1 })).toThrow(
      /stands twice/,
    );
  });
});
