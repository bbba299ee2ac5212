import { readFile } from 'node:fs/promises';
import {
  type GraphQLField,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
  isScalarType,
  parse,
  visit,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { printedSchema } from '../../src/cli/development/schema.ts';

const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));

const isField = (field: object): field is GraphQLField<unknown, unknown> => 'args' in field;

const fieldsOf = (type: GraphQLNamedType) =>
  isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];

describe('the schema', () => {
  it('matches the committed schema.graphql', async () => {
    const committed = await readFile(new URL('../../schema/schema.graphql', import.meta.url), 'utf8');
    expect(committed, 'npm run schema writes it anew').toBe(await printedSchema());
  });

  it('defines the directives it uses, as required by parsers that do not know @oneOf', async () => {
    const used = new Set<string>();
    const defined: string[] = [];
    visit(parse(await printedSchema()), {
      Directive: ({ name }) => void used.add(name.value),
      DirectiveDefinition: ({ name }) => void defined.push(name.value),
    });
    expect(defined).toEqual([...used].filter((name) => !['deprecated', 'specifiedBy'].includes(name)));
  });

  it('describes every type, field and argument', () => {
    const silent = types.flatMap((type) => [
      ...(type.description ? [] : [type.name]),
      ...fieldsOf(type).flatMap((field) => [
        ...(field.description ? [] : [`${type.name}.${field.name}`]),
        ...(isField(field) ? field.args : [])
          .filter(({ description }) => !description)
          .map(({ name }) => `${type.name}.${field.name}(${name}:)`),
      ]),
    ]);
    expect(silent).toEqual([]);
  });

  it('has descriptions that are whole sentences or phrases starting like one', () => {
    const described = types.flatMap((type) => [type, ...fieldsOf(type)]);
    const odd = described.flatMap(({ name, description }) =>
      description && !/^(?:[A-Z]|\d|[a-z]+(?:,| or| )).*\.$/s.test(description) ? [`${name}: ${description}`] : [],
    );
    expect(odd).toEqual([]);
  });

  it('describes every enum value', () => {
    const silent = types.flatMap((type) =>
      isEnumType(type)
        ? type.getValues().flatMap(({ name, description }) => (description ? [] : [`${type.name}.${name}`]))
        : [],
    );
    expect(silent).toEqual([]);
  });

  it('names types in PascalCase, and values in capitals except those of the interface', () => {
    expect(types.filter(({ name }) => !/^[A-Z][A-Za-z0-9]*$/.test(name)).map(({ name }) => name)).toEqual([]);
    const lower = types.filter(
      (type) => isEnumType(type) && type.getValues().some(({ name }) => !/^[A-Z][A-Z0-9_]*$/.test(name)),
    );
    // docs/decisions.md, "The schema is reviewed by graphql-eslint"
    expect(lower.map(({ name }) => name).sort()).toEqual(['ResultOperator', 'SortDirection']);
  });

  it('has connections as Relay defines them', () => {
    const connections = types.filter((type) => isObjectType(type)).filter(({ name }) => name.endsWith('Connection'));
    expect(connections.length).toBeGreaterThan(10);
    for (const type of connections) {
      const node = type.name.replace(/Connection$/, '');
      const { edges, pageInfo } = type.getFields();
      expect([edges?.type.toString(), pageInfo?.type.toString()]).toEqual([`[${node}Edge!]!`, 'PageInfo!']);
    }
  });

  it('names fields in camelCase', () => {
    const odd = types.flatMap((type) =>
      fieldsOf(type)
        .filter(({ name }) => !/^[a-z][a-zA-Z0-9]*$/.test(name))
        .map(({ name }) => `${type.name}.${name}`),
    );
    expect(odd).toEqual([]);
  });

  it('has a field by id and a connection of all for each entity', () => {
    const queries = schema.getQueryType()?.getFields() ?? {};
    for (const noun of ['organization', 'workspace', 'document', 'job', 'catalogRecord']) {
      const one = queries[noun];
      expect(one?.args.find(({ name }) => name === 'id')?.type.toString()).toBe('UUID!');
      const type = noun[0]?.toUpperCase() + noun.slice(1);
      expect(queries[`${noun}s`]?.type.toString()).toBe(`${type}Connection!`);
      for (const name of ['first', 'after', 'last', 'before', 'offset', 'filter', 'orderBy']) {
        expect(queries[`${noun}s`]?.args.map((arg) => arg.name)).toContain(name);
      }
    }
  });

  it('gives every entity its envelope and its versions', () => {
    const entity = schema.getType('Entity');
    if (!isInterfaceType(entity)) throw new Error('Entity is no interface');
    const envelope = Object.keys(entity.getFields());
    expect(envelope).toEqual(
      expect.arrayContaining([
        'id',
        'versionId',
        'parentId',
        'createdBy',
        'createdAt',
        'modifiedBy',
        'modifiedAt',
        'type',
        'schemaId',
        'workspaceId',
        'body',
      ]),
    );
    const kinds = schema.getPossibleTypes(entity);
    expect(kinds.map(({ name }) => name).sort()).toEqual(
      expect.arrayContaining(['CatalogRecord', 'Job', 'Organization', 'Workspace']),
    );
    for (const kind of kinds) expect(Object.keys(kind.getFields())).toContain('versions');
  });

  it('lets single-entity queries be null, so that a missing one does not take the others with it', () => {
    const { job, workspace, document } = schema.getQueryType()?.getFields() ?? {};
    for (const field of [job, workspace, document]) expect(isNonNullType(field?.type)).toBe(false);
  });

  it('writes times in ISO 8601, even those sharing a slot in its cache', () => {
    const { DateTime } = schema.getTypeMap();
    const written = (time: number) => isScalarType(DateTime) && DateTime.serialize(new Date(time));
    const times = [0, 1, -1, 1_024, -1_024, 1_025, 951_782_400_000, 951_782_401_024, -62_198_755_200_000, 8.64e15];
    for (const time of [...times, ...times.toReversed()]) expect(written(time)).toBe(new Date(time).toISOString());
    expect(() => written(Number.NaN)).toThrow(RangeError);
  });
});
