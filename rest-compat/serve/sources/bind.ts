import type { IncomingHttpHeaders } from 'node:http';
import { GraphQLNonNull, type GraphQLSchema, typeFromAST } from 'graphql';
import { FAULTS_SOUGHT, type Fault } from '../../../src/errors.ts';
import type { Operation } from '../../../src/gateway.ts';
import { matchTags } from '../../../src/http/etag.ts';
import { MAX_INT, type Query, singleValue, sortFields, texts, wholeNumber } from '../../../src/http/query-string.ts';
import { DATETIME_FORMS, instantOf } from '../../../src/model/instant.ts';
import { isObject } from '../../../src/model/json.ts';
import { isUuid } from '../../../src/model/uuid.ts';
import type { Endpoint } from '../../declare/endpoint.ts';
import type { BodyKind, Source } from '../../declare/source.ts';
import { formBinder, type ReceivedForm } from '../received-form.ts';
import { PAGE, PAGE_SIZE, pageOf } from '../replies/search.ts';
import { filterBinder, filterField } from './filter.ts';

/** What binders read from a request, and what they note about it on the way. */
export interface Bindable {
  /** The path's parameters by position: p0, p1, and so on. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly headers: IncomingHttpHeaders;
  readonly faults: Fault[];
  query: Query;
  body: unknown;
  /** The multipart form, where the endpoint takes one. */
  form: ReceivedForm | undefined;
  /** Where the body argument stands in the request body: '' or `/body`. */
  bodyPrefix: string;
  /** How many items the client asked for, or the family's default. */
  limit: number | undefined;
  /** How many items stand before the page of a search that the client asked for. */
  pageStart: number;
  /** The query parameter behind each filter field. */
  sent: Map<string, string> | undefined;
  /** A value of the path that cannot exist: what it names, and its text. */
  lost: readonly [what: string, id: string] | undefined;
}

export type Variables = Record<string, unknown>;
export type Bind = (from: Bindable, variables: Variables) => void;

/** The sources of an endpoint, compiled: those of the query string are bound before the body is read. */
export interface Binders {
  readonly early: readonly Bind[];
  readonly late: readonly Bind[];
  /** Those of the late ones that need no body: what is known before a file is taken in. */
  readonly places: readonly Bind[];
  readonly takesBody: boolean;
  /** The variables that a list is paged with. */
  readonly paging: { readonly first: string; readonly after: string; readonly offset: string; readonly paging: string };
}

const EARLY = new Set<Source['from']>([
  'query',
  'limit',
  'offset',
  'sort',
  'filters',
  'page-size',
  'page-start',
  'texts',
]);
const PLACES = new Set<Source['from']>(['path', 'constant']);

/** Compiles the sources of an endpoint; throws an Error when they do not fit the operation or the path. */
export function compileSources(endpoint: Endpoint, operation: Operation, schema: GraphQLSchema): Binders {
  const types = variableTypes(operation, schema);
  const known = knownParameters(endpoint);
  const early: Bind[] = [unknownParameters(endpoint, known)];
  const late: Bind[] = [];
  const places: Bind[] = [];
  for (const [variable, source] of Object.entries(endpoint.variables)) {
    const type = types.get(variable);
    if (!type) throw new Error(`the operation has no variable $${variable}`);
    const bind = binder(variable, source, { endpoint, known, ...type });
    if (bind) (EARLY.has(source.from) ? early : late).push(bind);
    if (bind && PLACES.has(source.from)) places.push(bind);
    if (source.from === 'form') early.push(queryBinder(variable, source.name, { type: '', required: false }));
  }
  for (const [variable, { required }] of types) {
    if (required && !endpoint.variables[variable]) throw new Error(`the variable $${variable} has no source`);
  }
  const named = (from: Source['from']) =>
    Object.entries(endpoint.variables).find(([, source]) => source.from === from)?.[0] ?? '';
  return {
    early,
    late,
    places,
    takesBody: Object.values(endpoint.variables).some(({ from }) => from === 'body'),
    paging: { first: named('limit'), after: named('cursor'), offset: named('offset'), paging: named('paging') },
  };
}

interface VariableType {
  readonly type: string;
  readonly required: boolean;
}

/** The types of an operation's variables, and which of them must be given. */
export function variableTypes(operation: Operation, schema: GraphQLSchema): Map<string, VariableType> {
  return new Map(
    (operation.definition.variableDefinitions ?? []).map((definition) => {
      const type = typeFromAST(schema, definition.type);
      const required = type instanceof GraphQLNonNull && definition.defaultValue === undefined;
      return [definition.variable.name.value, { type: String(type).replace(/!$/, ''), required }];
    }),
  );
}

/** The query parameters that an endpoint takes by name. */
export function knownParameters(endpoint: Endpoint): Set<string> {
  return new Set(
    Object.values(endpoint.variables).flatMap((source) => {
      if (source.from === 'query' || source.from === 'form' || source.from === 'texts') return [source.name];
      if (source.from === 'page-size') return [PAGE_SIZE];
      if (source.from === 'page-start') return [PAGE];
      if (source.from === 'filters') return Object.keys(source.named);
      return source.from === 'limit' || source.from === 'offset' || source.from === 'sort' ? [source.from] : [];
    }),
  );
}

function unknownParameters({ variables, family }: Endpoint, known: ReadonlySet<string>): Bind {
  const style = Object.values(variables).some(({ from }) => from === 'filters') ? family.filterStyle : 'none';
  const allowed = [...known, ...(style === 'bracketed' ? ['filter[<field>]'] : [])].join(', ') || 'none';
  return ({ query, faults }) => {
    for (const name of query.keys()) {
      if (known.has(name) || filterField(name, style) !== undefined) continue;
      faults.push({ parameter: name, message: `is not a parameter of this path. Allowed: ${allowed}.` });
    }
  };
}

interface Place extends VariableType {
  readonly endpoint: Endpoint;
  readonly known: ReadonlySet<string>;
}

function binder(variable: string, source: Source, place: Place): Bind | undefined {
  const { family } = place.endpoint;
  switch (source.from) {
    case 'path':
      return pathBinder(variable, source, place);
    case 'query':
      return queryBinder(variable, source.name, place);
    case 'body':
      return bodyBinder(variable, source, place.required);
    case 'filters':
      return filterBinder(variable, { named: source.named, style: family.filterStyle, known: place.known });
    case 'limit':
      return (from) => {
        from.limit = wholeNumber(from.query, 'limit', { least: 1 }, from.faults) ?? family.defaultLimit;
      };
    case 'offset':
      return (from, variables) =>
        set(variables, variable, wholeNumber(from.query, 'offset', { least: 0 }, from.faults));
    case 'page-size':
      return (from, variables) => {
        from.limit = pageOf(from.query, source.most, from.faults).size;
        variables[variable] = from.limit;
      };
    case 'page-start':
      return (from, variables) => {
        from.pageStart = pageOf(from.query, source.most, []).start;
        variables[variable] = Math.min(from.pageStart, MAX_INT);
      };
    case 'texts':
      return (from, variables) => set(variables, variable, texts(from.query, source.name, source.most, from.faults));
    case 'sort':
      return (from, variables) => set(variables, variable, sortFields(from.query, from.faults));
    case 'if-match':
      return ({ headers }, variables) => {
        const header = headers['if-match'];
        if (header !== undefined) set(variables, variable, matchTags(header));
      };
    case 'file':
      return ({ form }, variables) => set(variables, variable, form?.file.id);
    case 'form':
      return formBinder(variable, source.name);
    case 'constant':
      return (_, variables) => set(variables, variable, source.value);
    case 'cursor':
    case 'paging':
      return undefined; // set by the list itself, when it goes on to a next page
  }
}

function set(variables: Variables, variable: string, value: unknown): void {
  if (value !== undefined) variables[variable] = value;
}

function pathBinder(variable: string, { name, among }: Source & { from: 'path' }, { endpoint, type }: Place): Bind {
  const index = endpoint.parameters.indexOf(name);
  if (index === -1) throw new Error(`the path has no parameter {${name}}`);
  const position = `p${index}`;
  const uuid = type === 'UUID';
  const what = name === 'id' ? 'record' : name.replace(/_?id$/i, '').replaceAll('_', ' ');
  return (from, variables) => {
    const value = from.params[position] ?? '';
    if ((uuid && !isUuid(value)) || (among && !among.includes(value))) from.lost ??= [what, value];
    variables[variable] = value;
  };
}

function queryBinder(variable: string, name: string, { type, required }: VariableType): Bind {
  const isDate = type === 'DateTime';
  return ({ query, faults }, variables) => {
    const value = singleValue(query, name, faults);
    if (value && isDate && !instantOf(value)) faults.push({ parameter: name, message: `must be ${DATETIME_FORMS}.` });
    else if (value !== undefined && value !== '') variables[variable] = value;
    else if (required) faults.push({ parameter: name, message: 'is missing.' });
  };
}

function bodyBinder(variable: string, source: Source & { from: 'body' }, required: boolean): Bind {
  const { member, kind } = source;
  if (member === undefined) {
    return ({ body }, variables) => {
      variables[variable] = body;
    };
  }
  const here = `/${member}`;
  const holdsEntity = kind === 'object' || kind === 'objects';
  return (from, variables) => {
    const body = isObject(from.body) ? from.body : {};
    const value = Object.hasOwn(body, member) ? body[member] : undefined;
    if (source.orWhole && !isObject(value)) {
      variables[variable] = body;
    } else if (value === undefined) {
      if (required) from.faults.push({ path: here, message: 'is missing.' });
    } else if (KINDS[kind].test(value) || (value === null && source.nullable)) {
      variables[variable] = value;
      if (holdsEntity) from.bodyPrefix = here;
    } else if (kind === 'objects' && Array.isArray(value)) {
      from.faults.push(...otherItems(value, here));
    } else {
      from.faults.push({ path: here, message: `must be ${KINDS[kind].name}${source.nullable ? ' or null' : ''}.` });
    }
  };
}

/** A fault for each item of an array that is no object. */
function otherItems(items: readonly unknown[], here: string): Fault[] {
  const faults: Fault[] = [];
  for (let index = 0; index < items.length && faults.length < FAULTS_SOUGHT; index++) {
    if (!isObject(items[index])) faults.push({ path: `${here}/${index}`, message: 'must be a JSON object.' });
  }
  return faults;
}

const KINDS: Readonly<Record<BodyKind, { readonly name: string; test(value: unknown): boolean }>> = {
  object: { name: 'a JSON object', test: isObject },
  objects: { name: 'an array of JSON objects', test: (value) => Array.isArray(value) && value.every(isObject) },
  string: { name: 'a string', test: (value) => typeof value === 'string' },
  uuid: { name: 'a UUID', test: (value) => typeof value === 'string' && isUuid(value) },
};
