import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import type { OpenApi } from '../../rest-compat/openapi/document.ts';
import { serviceFixture } from '../service.ts';

const families = [...new Set(endpoints.map(({ family }) => family.name))];
const service = serviceFixture();

type Part = Readonly<Record<string, unknown>>;

/** Every object in a document with its position, examples excluded. */
const partsOf = (place: string, value: unknown): [place: string, part: Part][] => {
  if (typeof value !== 'object' || value === null || place === 'examples') return [];
  if (Array.isArray(value)) return value.flatMap((one) => partsOf(place, one));
  return [[place, value as Part], ...Object.entries(value).flatMap(([name, one]) => partsOf(name, one))];
};

/** Pitfalls of code generators, listed in docs/decisions.md. */
describe.each(['/openapi.json', ...families.map((name) => `/openapi/${name}.json`)])('%s', (path) => {
  let document: OpenApi;
  let parts: [place: string, part: Part][];

  beforeAll(async () => {
    document = (await service.ask('GET', path)).body;
    parts = partsOf('', document);
  });

  it('has null as a type only beside others, since it would become a class Null', () => {
    const alone = parts.filter(([place, { type }]) => type === 'null' && place !== 'anyOf');
    expect(alone).toEqual([]);
  });

  it('has patterns only on strings, since one without a type is not read as a string', () => {
    const untyped = parts.filter(
      ([, { pattern, type }]) => typeof pattern === 'string' && ![type].flat().includes('string'),
    );
    expect(untyped).toEqual([]);
  });

  it('has no two schemas whose names differ only in case, since their classes would share a file', () => {
    const ofClass = (schema: Part) => ['properties', 'anyOf', 'allOf'].some((keyword) => keyword in schema);
    const members = parts.flatMap(([, { properties }]) =>
      typeof properties === 'object' ? [Object.entries(properties as Readonly<Record<string, Part>>)] : [],
    );
    for (const named of [Object.entries(document.components.schemas ?? {}), ...members]) {
      const names = named.filter(([, schema]) => ofClass(schema)).map(([name]) => name.toLowerCase());
      expect(names).toEqual([...new Set(names)]);
    }
  });

  it("has no schema named like Go's constructor of another", () => {
    const names = Object.keys(document.components.schemas ?? {});
    expect(names.filter((name) => names.includes(name.replace(/^New/, '')) && name.startsWith('New'))).toEqual([]);
  });

  it('names no licence, since one without an identifier or address is refused, and there is none to name', () => {
    expect(document.info).not.toHaveProperty('license');
  });
});
