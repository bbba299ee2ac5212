import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { serviceFixture, startTestService } from '../../service.ts';

const service = serviceFixture();

const EVERYTHING = getIntrospectionQuery({
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});
const [query = '', ...fragments] = EVERYTHING.split('fragment ');
const ALL = query.slice(query.indexOf('__schema') + '__schema'.length, query.lastIndexOf('}'));

const range = (length: number, make: (i: number) => string): string =>
  Array.from({ length }, (_, i) => make(i)).join(' ');

/** The whole schema, that many times, as tools ask for it. */
const whole = (times: number): string =>
  `{ ${range(times, (i) => `a${i}: __schema { ...S }`)} } ${['', `S on __Schema ${ALL}`, ...fragments].join(' fragment ')}`;

const DEEP = `
  fragment D on __Type { ...F fields { ...A type { ...F ofType { ...F ofType { ...F } } } } }
  fragment F on __Type { fields { name description ...A type { ...T } } }
  fragment A on __Field { args { name defaultValue type { ...T } } }
  fragment T on __Type { name kind description ofType { name kind description ofType { name kind description } } }`;
/** Fields of the types of all fields: a short text whose answer has millions of values. */
const deep = (times: number): string => `{ ${range(times, (i) => `a${i}: __schema { types { ...D } }`)} } ${DEEP}`;
/** The same of one type, by its name. */
const byName = (times: number, name: string): string =>
  `query($name: String! = "${name}") { ${range(times, (i) => `a${i}: __type(name: $name) { ...D }`)} } ${DEEP}`;

const ask = async (query: string, of = service) => {
  const { status, body } = await of.ask('POST', '/graphql', {
    body: { query },
    headers: { Accept: 'application/graphql-response+json' },
  });
  return { status, body, code: body.errors?.[0].extensions.code, message: body.errors?.[0].message };
};

const refused = {
  status: 400,
  code: 'GRAPHQL_VALIDATION_FAILED',
  message:
    'Introspection would return more than the 200000 values that are allowed. Ask for each part of the schema once, and for fewer fields.',
};

describe('introspection', () => {
  it.each([1, 2, 5])('of the whole schema is answered, %i times in one operation', async (times) => {
    for (const _ of ['executed', 'compiled', 'compiled again']) {
      const { status, body } = await ask(whole(times));
      expect([status, body.errors, Object.keys(body.data ?? {}).length]).toEqual([200, undefined, times]);
    }
  });

  it.each([
    ['the whole schema under many aliases', whole(50)],
    ['the fields of the types of all fields', deep(50)],
    ['the fields of one type by its name', byName(50, 'Job')],
  ])('is refused at once, compiled or not, for %s', async (_, query) => {
    const began = performance.now();
    for (let i = 0; i < 5; i += 1) {
      const answer = await ask(query);
      expect(answer).toMatchObject(refused);
      expect(answer.body.data).toBeUndefined();
    }
    expect(performance.now() - began).toBeLessThan(5_000); // each would take ten seconds
  });

  it('is refused by GET and in a form too', async () => {
    const headers = { Accept: 'application/json' };
    const read = await service.ask('GET', `/graphql?query=${encodeURIComponent(deep(50))}`, { headers });
    expect(read.body.errors[0]).toMatchObject({ message: refused.message });
    const form = new FormData();
    form.set('operations', JSON.stringify({ query: deep(50) }));
    form.set('map', '{}');
    const sent = await fetch(`${service.url}/graphql`, { method: 'POST', body: form, headers });
    expect(((await sent.json()) as { errors: unknown[] }).errors[0]).toMatchObject({ message: refused.message });
  });

  it('is refused in the same way without compiled operations', async () => {
    await using plain = await startTestService({ env: { GRAPHQL_JIT: 'off' } });
    expect(await ask(whole(2), plain)).toMatchObject({ status: 200, code: undefined });
    expect(await ask(deep(50), plain)).toMatchObject(refused);
  });

  it('counts the fields of the type that a variable names', async () => {
    const named = await ask(byName(1, 'Job'));
    expect(named.body.data.a0.fields.length).toBeGreaterThan(10);
    const none = await ask(byName(50, 'None'));
    expect(none.body.data.a49).toBeNull();
  });
});
