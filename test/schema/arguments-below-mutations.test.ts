import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { serviceFixture } from '../service.ts';

const service = serviceFixture();

interface Refused {
  readonly value: string;
  /** What the refusal calls it, if not by the argument's name. */
  readonly named?: string;
}

const MANY_NAMES = JSON.stringify(Array.from({ length: 101 }, () => 'NOR'));

/** What every field with such an argument refuses, or one field. */
const REFUSED: Readonly<Record<string, Refused>> = {
  first: { value: '0' },
  last: { value: '0' },
  offset: { value: '-1' },
  after: { value: '"nothing"' },
  before: { value: '"nothing"' },
  filter: { value: '[{ field: "nothing", anyOf: ["1"] }]', named: 'nothing' },
  where: { value: '{ createdAt: { lt: null } }', named: 'where.createdAt.lt' },
  order: { value: '[{ createdAt: asc }], orderBy: [{ field: "id" }]' },
  orderBy: { value: '[{ field: "nothing" }]' },
  type: { value: '"nothing"' },
  measurement: { value: '" "' },
  tolerance: { value: '-1' },
  gapsOver: { value: '-1' },
  allowedHours: { value: '-1' },
  noticeHours: { value: '-1' },
  voyages: { value: '101' },
  minimum: { value: '0' },
  lowest: { value: '0' },
  highest: { value: '0' },
  spread: { value: '0' },
  loadFactor: { value: '0' },
  dischargeFactor: { value: '11' },
  apiTolerance: { value: '-1' },
  factorTolerance: { value: '-1' },
  netTolerance: { value: '-1' },
  sumTolerance: { value: '-1' },
  shipShoreSpread: { value: '-1' },
  historyRatio: { value: '1' },
  maximumFactor: { value: '0' },
  product: { value: '$id' },
  vendor: { value: '$id' },
  vessel: { value: '$id' },
  location: { value: '$id' },
  'TimeSummary.laytime(from)': { value: MANY_NAMES },
  'TimeSummary.laytime(to)': { value: MANY_NAMES },
  'TimeSummary.laytime(excluding)': { value: MANY_NAMES },
  'Workspace.statistics(from)': { value: '"9000-01-01T00:00:00.000Z"', named: 'to' },
  'Workspace.statistics(to)': { value: '"2020-01-01T00:00:00.000Z", from: "2020-01-01T00:00:00.000Z"' },
};
/** Arguments of which no value is refused. */
const NEVER_REFUSED = /^(\w+\.versions\(before\)|Synonym\.otherId\(than\)|\w+\.experienceFactor\(excluding\))$/;

interface Step {
  readonly above: Step | undefined;
  readonly type: GraphQLNamedType;
  readonly field: GraphQLField<unknown, unknown>;
}

/** The shortest path from a mutation to each field with arguments. */
function fieldsWithArguments(): Step[] {
  const found: Step[] = [];
  const seen = new Set<GraphQLNamedType>();
  let next: { readonly type: GraphQLNamedType; readonly above: Step | undefined }[] = [
    { type: schema.getMutationType() as GraphQLNamedType, above: undefined },
  ];
  while (next.length > 0) {
    next = next.flatMap(({ type, above }) => {
      if (seen.has(type) || !(isObjectType(type) || isInterfaceType(type))) return [];
      seen.add(type);
      return Object.values(type.getFields()).flatMap((field) => {
        const step = { above, type, field };
        if (above && field.args.length > 0) found.push(step);
        return [{ type: getNamedType(field.type), above: step }];
      });
    });
  }
  return found;
}

const cases = fieldsWithArguments().flatMap((step) =>
  step.field.args
    .map((argument) => ({ step, argument, name: `${step.type.name}.${step.field.name}(${argument.name})` }))
    .filter(({ name }) => !NEVER_REFUSED.test(name)),
);

/** Any value of a required argument's type. */
const anything = ({ type }: GraphQLArgument): string => {
  if (isListType(getNullableType(type))) return '[]';
  const { name } = getNamedType(type);
  if (name === 'UUID' || name === 'ID') return '$id';
  return name === 'Float' ? '1' : name === 'String' ? '"any"' : '{}';
};

const argumentsOf = ({ field }: Step, refused = new Map<string, string>()): string => {
  const given = field.args.flatMap((argument) => {
    const value = refused.get(argument.name) ?? (isRequiredArgument(argument) ? anything(argument) : undefined);
    return value === undefined ? [] : [`${argument.name}: ${value}`];
  });
  return given.length > 0 ? `(${given.join(', ')})` : '';
};

function mutationOf(step: Step, argument: string, value: string): string {
  const below = isObjectType(getNamedType(step.field.type)) || isInterfaceType(getNamedType(step.field.type));
  let text = `${step.field.name}${argumentsOf(step, new Map([[argument, value]]))}${below ? ' { __typename }' : ''}`;
  for (let above = step.above; above; above = above.above) {
    text = `${above.field.name}${argumentsOf(above)} { ${text} }`;
  }
  return `mutation($id: UUID!) { ${text} more: deleteJob(id: $id) { id } }`;
}

it('finds the fields of all types returned by mutations', () => {
  const names = new Set(cases.map(({ step }) => `${step.type.name}.${step.field.name}`));
  expect([...names]).toEqual(
    expect.arrayContaining(['Job.qualityResults', 'Document.versions', 'Workspace.jobs', 'TimeSummary.laytime']),
  );
  expect(names.size).toBeGreaterThan(40);
});

it.each(cases)('refuses $name before a mutation starts', async ({ step, argument, name }) => {
  const refused = REFUSED[name] ?? REFUSED[argument.name];
  if (!refused) throw new Error('say which value it refuses, or that it refuses none');
  const query = mutationOf(step, argument.name, refused.value);
  const { status, body } = await service.graphql(query, { id: '0190a000-0000-7000-8000-00000000dead' });
  expect({ status, data: body.data, parameters: body.errors.map(parameterOf) }).toEqual({
    status: 400,
    data: undefined,
    parameters: [refused.named ?? argument.name],
  });
});

const parameterOf = ({ extensions }: { extensions: { errors?: { parameter: string }[] } }) =>
  extensions.errors?.[0]?.parameter;
