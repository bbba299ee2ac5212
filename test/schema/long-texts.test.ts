// May take 40 s: every text argument is sent 17 MB, more than MongoDB accepts.
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { type Answer, serviceFixture, workspaceFixture } from '../service.ts';

const LONG = 'a'.repeat(17_000_000);
const TEXTS = new Set(['String', 'ID']);
/** Compared with stored values, and never sent to MongoDB. */
const COMPARED = new Set(['expectedVersion', 'unlessVersion']);

type Field = GraphQLField<unknown, unknown>;

const fieldsOf = (type: 'query' | 'mutation'): (readonly [string, Field, GraphQLArgument])[] =>
  Object.values((type === 'query' ? schema.getQueryType() : schema.getMutationType())?.getFields() ?? {}).flatMap(
    (field) =>
      field.args
        .filter((argument) => TEXTS.has(getNamedType(argument.type).name) && !COMPARED.has(argument.name))
        .map((argument) => [type, field, argument] as const),
  );

/** An argument's minimum. */
function least(type: GraphQLInputType, id: string): unknown {
  const given = getNullableType(type);
  if (isListType(given)) return [least(given.ofType as GraphQLInputType, id)];
  if (isEnumType(given)) return given.getValues()[0]?.name;
  if (isInputObjectType(given)) {
    const required = Object.values(given.getFields()).filter(isRequiredInputField);
    return Object.fromEntries(required.map((field) => [field.name, least(field.type, id)]));
  }
  const values: Readonly<Record<string, unknown>> = { UUID: id, String: 'x', ID: 'x', Int: 1, Float: 1, Boolean: true };
  return values[getNamedType(given).name] ?? {};
}

describe('a text longer than MongoDB accepts', () => {
  const service = serviceFixture();
  const workspace = workspaceFixture(service);

  const send = ([operation, field, long]: readonly [string, Field, GraphQLArgument]): Promise<Answer> => {
    const sent = field.args.filter((argument) => argument === long || isRequiredArgument(argument));
    const declared = sent.map(({ name, type }) => `$${name}: ${type}`).join(', ');
    const passed = sent.map(({ name }) => `${name}: $${name}`).join(', ');
    const text = isListType(getNullableType(long.type)) ? [LONG] : LONG;
    const values = sent.map((argument) => [
      argument.name,
      argument === long ? text : least(argument.type, workspace.id),
    ]);
    const selected = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }';
    const query = `${operation} (${declared}) { ${field.name}(${passed}) ${selected} }`;
    return service.graphql(query, Object.fromEntries(values), 'admin');
  };

  it.each(
    [...fieldsOf('query'), ...fieldsOf('mutation')].map((each) => [`${each[1].name}(${each[2].name})`, each] as const),
  )('causes no unexpected error as %s', async (_, each) => {
    const { status, text } = await send(each);
    expect(status, text.slice(0, 300)).toBeLessThan(500);
    expect(text.slice(0, 2_000)).not.toMatch(/INTERNAL|UNAVAILABLE/);
    expect(text.length).toBeLessThan(10_000);
  });

  it.each([
    ['changes(first: 1, types: $x) { next }', 'svc.inspection.job', undefined],
    ['deletedDocuments(types: $x) { totalCount }', 'svc.inspection.job', undefined],
    ['synonyms(workspace: "W", catalogs: $x) { totalCount }', 'products', 'INVALID_INPUT'],
    ['ports(clientCodes: $x) { totalCount }', 'NLRTM', 'INVALID_INPUT'],
  ])('causes no unexpected error as one name many times: %s', async (field, name, code) => {
    const query = `query($x: [String!]) { ${field.replace('"W"', `"${workspace.id}"`)} }`;
    const x = Array(Math.ceil(17_000_000 / name.length)).fill(name);
    const { body } = await service.graphql(query, { x }, 'admin');
    expect(body.errors?.[0].extensions.code).toBe(code);
  });

  it.each([
    'organizations(nameContains: $t)',
    'ports(nameContains: $t)',
    'companies(nameStartsWith: $t)',
    'catalogRecords(workspace: $w, catalog: $t)',
    'synonyms(workspace: $w, catalog: $t)',
  ])('may have 8,000 characters in %s', async (field) => {
    const query = `query ($t: String, $w: UUID!) { ${field} { totalCount } workspace(id: $w) { id } }`;
    const ask = (t: string) => service.graphql(query, { t, w: workspace.id });
    expect((await ask('a'.repeat(8_000))).body.errors).toBeUndefined();
    const [error] = (await ask('a'.repeat(8_001))).body.errors;
    expect(error).toMatchObject({ extensions: { code: 'INVALID_INPUT' } });
    expect(error.message).toMatch(/^Parameter \w+: may have at most 8000 characters\.$/);
  });

  it('may have 8,000 characters in a name REST looks for', async () => {
    const ask = (name: string) => service.ask('GET', `/v2/organizations?name=${name}`, { as: 'client' });
    expect((await ask('a'.repeat(8_000))).status).toBe(200);
    const { status, body } = await ask('a'.repeat(8_001));
    expect([status, body.detail]).toEqual([400, expect.stringContaining('may have at most 8000 characters.')]);
  });

  it("is refused in a forged cursor, whatever its list's order", async () => {
    await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { refNumber: 'R-1' } });
    const query = `query ($a: String) { jobs(first: 1, after: $a, order: [{ refNumber: asc }]) { edges { cursor } } }`;
    const { data } = (await service.graphql(query)).body;
    const [signature, , id] = JSON.parse(Buffer.from(data.jobs.edges[0].cursor, 'base64url').toString());
    const cursorOf = (text: string) => Buffer.from(JSON.stringify([signature, text, id])).toString('base64url');
    expect((await service.graphql(query, { a: cursorOf('S'.repeat(2_000_000)) })).body.data.jobs.edges).toEqual([]);
    const { status, body } = await service.graphql(query, { a: cursorOf(LONG) });
    expect([status, body.errors[0].message]).toEqual([400, 'Parameter after: may have at most 3000000 characters.']);
  });
});
