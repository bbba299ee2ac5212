import { afterEach, describe, expect, it, vi } from 'vitest';
import { PersistedOperations } from '../../src/graphql/persisted/persisted-operations.ts';
import { serviceFixture } from '../service.ts';

const service = serviceFixture();
afterEach(() => void vi.restoreAllMocks());

describe('a bug of ours before an operation runs', () => {
  it.each([
    ['POST', '/graphql', { query: '{ __typename }' }],
    ['GET', `/graphql?${new URLSearchParams({ query: '{ __typename }' })}`, undefined],
  ])('is 500 with the request id, under which the rest is logged: %s', async (method, path, body) => {
    vi.spyOn(PersistedOperations.prototype, 'textOf').mockImplementation(() => {
      throw new TypeError('a mistake');
    });
    const id = `request-${method}`;
    const headers = { 'X-Request-Id': id, Accept: 'application/json' };
    const { status, headers: sent, body: answer } = await service.ask(method, path, { as: 'client', body, headers });
    expect([status, sent.get('X-Request-Id'), answer]).toEqual([
      500,
      id,
      {
        errors: [
          {
            message: `Something went wrong on our side. Please quote the request id ${id}.`,
            extensions: { code: 'INTERNAL' },
          },
        ],
      },
    ]);
    expect(service.logged).toContainEqual(
      expect.objectContaining({
        msg: 'internal error',
        requestId: id,
        err: expect.objectContaining({ message: 'a mistake' }),
      }),
    );
  });
});
