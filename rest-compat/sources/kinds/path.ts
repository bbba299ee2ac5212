import { notFound, ServiceError } from '../../../src/errors.ts';
import { isUuid } from '../../../src/model/uuid.ts';
import { described, type SourceKind } from '../source-kind.ts';

/** A parameter of the path. */
export interface PathSource {
  readonly from: 'path';
  readonly name: string;
  readonly description?: string;
  /** What it is the id of; by default derived from the parameter's name. */
  readonly noun?: string;
  /** The allowed values; any other is 404. */
  readonly oneOf?: readonly string[];
  /** The maximum number of characters; at least one. For OpenAPI; the operation enforces it. */
  readonly most?: number;
}

/** A parameter of the path; 404 if its GraphQL type is UUID and the value is not one. */
export const fromPath = (name: string, description?: string, most?: number): PathSource => ({
  from: 'path',
  name,
  ...(description !== undefined && { description }),
  ...(most !== undefined && { most }),
});

/** The same for an id whose parameter name does not say what it identifies. */
export const fromPathOfA = (noun: string, ...[name, description]: Parameters<typeof fromPath>): PathSource => ({
  ...fromPath(name, description),
  noun,
});

/** A parameter of the path with a fixed set of values; any other is 404. */
export const fromPathOneOf = (name: string, oneOf: readonly string[], description: string): PathSource => ({
  from: 'path',
  name,
  oneOf,
  description,
});

/** Bound first, so that an invalid id is rejected before a file is received. */
export const path: SourceKind<PathSource> = {
  bind({ name, noun, oneOf }, { variable, type, pathParameters }) {
    const index = pathParameters.indexOf(name);
    if (index === -1) throw new Error(`the path has no parameter {${name}}`);
    const position = `p${index}`;
    const uuid = type === 'UUID';
    const what = noun ?? name.replace(/_?id$/i, '').replaceAll('_', ' ');
    return {
      path: ({ params }, binding) => {
        const value = params[position] ?? '';
        if (uuid && !isUuid(value)) binding.unknown ??= notFound(what, value);
        else if (oneOf && !oneOf.includes(value)) binding.unknown ??= noneOf(what, value, oneOf);
        binding.variables[variable] = value;
      },
    };
  },
  parameters: ({ name, description, oneOf, most }, { schema }) => [
    {
      name,
      in: 'path',
      required: true,
      ...described(description),
      schema: {
        ...schema,
        ...(oneOf && { enum: oneOf }),
        ...(most !== undefined && { minLength: 1, maxLength: most }),
      },
    },
  ],
  place: ({ name }) => ({ parameter: name }),
};

const noneOf = (what: string, value: string, known: readonly string[]): ServiceError =>
  new ServiceError('NOT_FOUND', `There is no ${what} ${JSON.stringify(value)}. There are ${known.join(', ')}.`);
