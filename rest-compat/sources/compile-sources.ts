import { GraphQLNonNull, type GraphQLSchema, typeFromAST } from 'graphql';
import type { Operation } from '../../src/gateway.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import type { Source } from '../declare/source.ts';
import { filterNamesOf } from './filter-names.ts';
import { filterField } from './kinds/filters.ts';
import { type ArgumentPlace, type Bind, Binding, type BindingInput } from './source-kind.ts';
import { kindOf } from './source-kinds.ts';

/** The sources of an endpoint, compiled. */
export interface CompiledSources {
  /** Binds the query string before the body is read; the result has all of its violations. */
  bindQuery(request: BindingInput): Binding;
  /** Binds only the path, before a file is received. */
  bindPath(request: BindingInput, binding: Binding): void;
  /** Binds the path and the body, once the whole request has been received. */
  bindRequest(request: BindingInput, binding: Binding): void;
  readonly takesJsonBody: boolean;
  /** Maps arguments named in errors of the operation to their location in the request. */
  readonly places: ReadonlyMap<string, ArgumentPlace>;
}

/** Compiles the sources of an endpoint; throws an Error if they do not fit the operation or the path. */
export function compileSources(endpoint: Endpoint, operation: Operation, schema: GraphQLSchema): CompiledSources {
  const { variables: sources, parameters: pathParameters, family } = endpoint;
  const types = variableTypes(operation, schema);
  for (const [variable, { required }] of types) {
    if (required && !sources[variable]) throw new Error(`the variable $${variable} has no source`);
  }
  const namedParameters = parameterNames(endpoint);
  const query: Bind[] = [refuseUnknownParameters(endpoint, namedParameters, schema)];
  const path: Bind[] = [];
  const body: Bind[] = [];
  const places = new Map<string, ArgumentPlace>();
  for (const [variable, source] of Object.entries(sources)) {
    const type = types.get(variable);
    if (!type) throw new Error(`the operation has no variable $${variable}`);
    const kind = kindOf(source);
    const binds = kind.bind(source, { variable, ...type, pathParameters, family, namedParameters });
    if (binds.query) query.push(binds.query);
    if (binds.path) path.push(binds.path);
    if (binds.body) body.push(binds.body);
    const place = kind.place?.(source);
    if (place) places.set(variable, place);
  }
  return {
    bindQuery(request) {
      const binding = new Binding();
      for (const bind of query) bind(request, binding);
      return binding;
    },
    bindPath(request, binding) {
      for (const bind of path) bind(request, binding);
    },
    bindRequest(request, binding) {
      for (const bind of path) bind(request, binding);
      for (const bind of body) bind(request, binding);
    },
    takesJsonBody: Object.values(sources).some(({ from }) => from === 'body'),
    places,
  };
}

interface VariableType {
  readonly type: string;
  readonly required: boolean;
}

/** The types of an operation's variables, and which are required. */
export function variableTypes(operation: Operation, schema: GraphQLSchema): Map<string, VariableType> {
  return new Map(
    (operation.definition.variableDefinitions ?? []).map((definition) => {
      const type = typeFromAST(schema, definition.type);
      const required = type instanceof GraphQLNonNull && definition.defaultValue === undefined;
      return [definition.variable.name.value, { type: String(type).replace(/!$/, ''), required }];
    }),
  );
}

/** The variable with a source of this kind; throws if there is none. */
export function variableFrom(from: Source['from'], { variables }: Endpoint): string {
  const [variable] = Object.entries(variables).find(([, source]) => source.from === from) ?? [];
  if (variable === undefined) throw new Error(`no variable has the source "${from}"`);
  return variable;
}

/** The query parameters that an endpoint takes by name. */
const parameterNames = ({ variables }: Endpoint): Set<string> =>
  new Set(Object.values(variables).flatMap((source) => kindOf(source).parameterNames?.(source) ?? []));

function refuseUnknownParameters(endpoint: Endpoint, named: ReadonlySet<string>, schema: GraphQLSchema): Bind {
  const { variables, family, reply } = endpoint;
  const style = Object.values(variables).some(({ from }) => from === 'filters') ? family.filterStyle : 'none';
  const allowed = [...named, ...(style === 'bracketed' ? ['filter[<field>]'] : [])].join(', ') || 'none';
  const fields = style === 'bracketed' ? filterNamesOf('body' in reply ? reply.body : undefined, schema) : undefined;
  return ({ query }, { violations }) => {
    for (const name of query.keys()) {
      if (named.has(name) || filterField(name, style) !== undefined) continue;
      const hint = fields?.has(name) ? ` A filter is written filter[${name}]=value.` : '';
      violations.push({ parameter: name, message: `is not a parameter of this path. Allowed: ${allowed}.${hint}` });
    }
  };
}
