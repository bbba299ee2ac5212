import type { OpenAPIV3_1 } from 'openapi-types';
import type { Endpoint } from '../declare/endpoint.ts';
import type { Answers } from '../declare/openapi-parts.ts';

type Links = Readonly<Record<string, OpenAPIV3_1.LinkObject>>;

/** Links from a creation to every operation on the created entity, and on the paths directly below it. */
export function withLinks(endpoint: Endpoint, endpoints: readonly Endpoint[], answers: Answers): Answers {
  const { 201: made } = answers;
  if (endpoint.method !== 'POST' || made?.headers?.Location === undefined) return answers;
  const links = linksOf(endpoint, endpoints);
  return Object.keys(links).length === 0 ? answers : { ...answers, 201: { ...made, links } };
}

function linksOf({ path, family }: Endpoint, endpoints: readonly Endpoint[]): Links {
  const own = namesIn(path);
  return Object.fromEntries(
    endpoints.flatMap((other) => {
      const [parameter, ...more] = namesIn(other.path).slice(own.length);
      const isBelow = other.family === family && parameter !== undefined && more.length === 0;
      if (!isBelow || !other.path.startsWith(`${path}/{${parameter}}`)) return [];
      const parameters = {
        ...Object.fromEntries(own.map((name) => [name, `$request.path.${name}`])),
        [parameter]: '$response.body#/id',
      };
      return [[other.id, { operationId: other.id, parameters, description: other.summary }]];
    }),
  );
}

const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
