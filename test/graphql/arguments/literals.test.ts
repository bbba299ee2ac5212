import { describe, expect, it } from 'vitest';
import { serviceFixture } from '../../service.ts';

const service = serviceFixture();
const WORKSPACE = '"0190a000-0000-7000-8000-0000000b0001"';

describe('an error in a literal names its argument and position:', () => {
  it.each([
    ['{ job(id: "x") { id } }', [['Argument "id" has invalid value: The value must be a UUID, not "x".', 11]]],
    [
      '{ a: job(id: "x") { id } jobs(workspace: 5, first: "z") { totalCount } }',
      [
        ['Argument "id" has invalid value: The value must be a UUID, not "x".', 14],
        ['Argument "workspace" has invalid value: The value must be a UUID, not 5.', 42],
        ['Int cannot represent non-integer value: "z"', 52],
      ],
    ],
    [
      '{ jobs(where: { createdAt: { gte: 5 }, id: { in: ["x"] } }) { totalCount } }',
      [
        [
          'Argument "where" has invalid value at .createdAt.gte: The value must be an ISO 8601 date and time with seconds and an offset (2026-01-31T08:30:00Z), or a date (2026-01-31).',
          35,
        ],
        ['Argument "where" has invalid value at .id.in[0]: The value must be a UUID, not "x".', 51],
      ],
    ],
    [
      `mutation { createJob(workspace: ${WORKSPACE}, body: "x") { id } }`,
      [['Argument "body" has invalid value: The value must be a JSON object.', 79]],
    ],
    ['query ($id: UUID! = "x") { job(id: $id) { id } }', [['The value must be a UUID, not "x".', 21]]],
  ])('%s', async (query, expected) => {
    for (const time of ['first', 'second']) {
      const { body } = await service.graphql(query);
      const errors = body.errors.map(({ message, locations: [{ column }] }: Told) => [message, column]);
      expect(errors, time).toEqual(expected);
      expect(body.errors[0].extensions).toEqual({ code: 'BAD_USER_INPUT' });
    }
  });

  it('so does one in a variable, naming the variable', async () => {
    const query = 'query ($where: JobWhere) { jobs(where: $where) { totalCount } }';
    const { body } = await service.graphql(query, { where: { createdAt: { gte: 5 } } });
    expect(body.errors).toMatchObject([
      {
        message:
          'Variable "$where" has invalid value at .createdAt.gte: The value must be an ISO 8601 date and time with seconds and an offset (2026-01-31T08:30:00Z), or a date (2026-01-31).',
        locations: [{ line: 1, column: 8 }],
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  });
});

interface Told {
  readonly message: string;
  readonly locations: readonly [{ readonly column: number }];
}
