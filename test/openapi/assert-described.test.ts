import { beforeAll, describe, expect, it } from 'vitest';
import { assertDescribed, type Given } from '../assert-described.ts';
import { serviceFixture } from '../service.ts';

const ID = '0190a000-0000-7000-8000-000000000001';
const PLACE = '/v2/workspaces';
const PROBLEM = {
  type: 'about:blank',
  title: 'Conflict',
  status: 409,
  detail: 'Taken.',
  instance: PLACE,
  code: 'NAME_TAKEN',
  message: 'Taken.',
  requestId: ID,
};

describe('the check that every answer in the tests is described', () => {
  const service = serviceFixture();
  let good: Given;

  beforeAll(async () => {
    const { status, headers, text } = await service.ask('GET', PLACE, { as: 'client' });
    good = { method: 'GET', path: PLACE, status, headers, text };
  });

  const claim = (over: Partial<Given>, headers: Readonly<Record<string, string>> = {}) =>
    assertDescribed(service.url, {
      ...good,
      headers: new Headers({ ...Object.fromEntries(good.headers), ...headers }),
      ...over,
    });
  const problem = (over: object) => ({
    status: 409,
    method: 'POST',
    path: '/v2/organizations',
    text: JSON.stringify({ ...PROBLEM, ...over }),
  });
  const asProblem = { 'content-type': 'application/problem+json; charset=utf-8' };

  it("passes for the service's answers, and for anything but REST", async () => {
    await claim({});
    await claim({ path: '/graphql', status: 418 });
    await claim(problem({}), asProblem);
  });

  it.each([
    ['a status that is not described', { status: 418 }, {}, 'only 200, 400'],
    ['another media type', {}, { 'content-type': 'text/html' }, 'its type is text/html'],
    ['a body of another shape', { text: '[{}]' }, {}, "the body/0 must have required property 'id'"],
    ['a body where there is none', { status: 204, method: 'OPTIONS' }, {}, 'it must be 204 with Allow'],
    ['a code that this endpoint does not have', problem({ code: 'WORKSPACE_NOT_EMPTY' }), asProblem, 'the body/code'],
    ['an untold header', {}, { 'retry-after': '1' }, 'it has Retry-After'],
    ['a header of another form', problem({}), { ...asProblem, 'Retry-After': 'soon' }, 'Retry-After: soon'],
    [
      'a missing header',
      { headers: new Headers({ 'content-type': 'application/json' }) },
      {},
      'it has no X-Request-Id',
    ],
  ])('fails on %s', async (_, over, headers, text) => {
    await expect(claim(over, headers)).rejects.toThrow(text);
  });
});
