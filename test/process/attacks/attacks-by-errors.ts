import type { Fixture, Sent } from './attacked-service.ts';
import type { Attack } from './attacks.ts';

const WHERE = 'query Wrong($w:JobWhere){jobs(where:$w){totalCount}}';
const ORDER = 'query Wrong($d:SortDirection!){jobs(order:{eta:$d}){totalCount}}';
const MEGABYTE = 1_000_000;

const unknown = (count: number, length: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${'y'.repeat(length)}${at}`, 1]));
const literal = (count: number) => Array.from({ length: count }, (_, at) => `y${at}:1`).join(' ');

/** A failing field, under fifty aliases in each job of each job's workspace. */
const failing = (field: string): string => {
  const fields = Array.from({ length: 50 }, (_, at) => `a${at}:${field}`).join(' ');
  return `{jobs(first:1000){nodes{workspace{jobs(first:1000){nodes{${fields}}}}}}}`;
};

/** Many errors, or long ones: GraphQL quotes the whole value in each error, and compares it with valid ones. */
export function attacksByErrors({ graphql }: Fixture): readonly Attack[] {
  /** The last of several answers, since an operation is compiled on its second run. */
  const again = async (query: string, variables: object): Promise<Sent> => {
    for (let index = 0; index < 3; index++) await graphql(query, {});
    return graphql(query, variables);
  };
  const large = 'z'.repeat(20 * MEGABYTE);
  return [
    ['15,000 unknown members of a variable', () => graphql(WHERE, { w: unknown(15_000, 150) }), 200, /unknown field/],
    ['the same compiled', () => again(WHERE, { w: unknown(15_000, 150) }), 200, /unknown field/],
    [
      'unknown members beside a large one',
      () => again(WHERE, { w: { ...unknown(15_000, 1), refNumber: { eq: large } } }),
      200,
      /unknown field/,
    ],
    [
      'the same as a literal',
      () => graphql(`{jobs(where:{${literal(1_200)} refNumber:{eq:"${large}"}}){totalCount}}`),
      200,
      /unknown field/,
    ],
    ['a member of 20 MB', () => again(WHERE, { w: { refNumber: { [large]: 1 } } }), 200, /characters in one name/],
    ['a wrong value of an enum of 20 MB', () => again(ORDER, { d: large }), 200, /characters in one name/],
    ['a list in its place', () => again(ORDER, { d: Array(4_000_000).fill(1) }), 200, /in place of a value/],
    ['the same as a text', () => graphql(`{jobs(order:{eta:"${large}"}){totalCount}}`), 200, /non-enum value/],
    ['the same as a name', () => graphql(`{jobs(order:{eta:${large}}){totalCount}}`), 200, /characters in one name/],
    [
      'a million wrong ids',
      () => again('query($i:[UUID!]){jobs(where:{id:{in:$i}}){totalCount}}', { i: Array(MEGABYTE).fill('q') }),
      200,
      /must be a UUID/,
    ],
    [
      'an error of each of a million fields',
      () => graphql(failing('attachments(first:0){id}')),
      200,
      /ANSWER_TOO_LARGE/,
    ],
    ['the same later', () => graphql(failing('voyageAnalysis(loadFactor:-1){__typename}')), 200, /TOO_LARGE/],
    [
      'ten million comments',
      () => graphql(`${'#\n'.repeat(10 * MEGABYTE)}{__typename}`),
      200,
      /more than the 10000 lines/,
    ],
    [
      'fifty errors behind a million lines',
      () => graphql(`${'\n'.repeat(MEGABYTE)}{${failing('attachments(first:0){id}').slice(1)}`),
      200,
      /more than the 10000 lines/,
    ],
  ];
}
