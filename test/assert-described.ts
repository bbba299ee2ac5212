import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** An answer, as far as the OpenAPI document covers it. */
export interface Given {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Described {
  readonly headers?: Readonly<Record<string, { readonly $ref?: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface Header {
  readonly required?: boolean;
  readonly schema: { readonly type?: string };
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Described>> }>>>
  >;
  readonly components: { readonly headers: Readonly<Record<string, Header>> };
}

/** Headers that must be documented on any answer that has them. */
const DESCRIBED_HEADERS = [
  ...['ETag', 'Location', 'WWW-Authenticate', 'Retry-After', 'Idempotency-Replayed'],
  ...['RateLimit', 'RateLimit-Policy', 'Accept-Post', 'Accept-Patch', 'Accept', 'Accept-Encoding'],
  ...['Content-Disposition', 'Content-Range', 'Accept-Ranges'],
];

let description: Promise<Description> | undefined;

/** Throws when a REST endpoint's answer does not match /openapi.json of the service at `url`. */
export async function assertDescribed(url: string, given: Given): Promise<void> {
  description ??= fetch(`${url}/openapi.json`).then(
    async (answer) => new Description((await answer.json()) as Document),
  );
  const faults = (await description).faults(given);
  if (faults.length === 0) return;
  const { method, path, status, text } = given;
  throw new Error(
    `OpenAPI does not describe the answer ${status} of ${method} ${path}:\n${faults.join('\n')}\n${text.slice(0, 2000)}`,
  );
}

/** The document, with schemas compiled when an answer first needs them. */
class Description {
  readonly #document: Document;
  readonly #ajv = formats.default(new Ajv2020({ strict: false, allErrors: true, validateSchema: false }));
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #checks = new WeakMap<object, ValidateFunction>();
  readonly #paths: readonly (readonly [RegExp, string])[];

  constructor(document: Document) {
    this.#document = document;
    this.#ajv.addSchema({ components: document.components }, 'openapi');
    const byParameters = Object.keys(document.paths).sort((a, b) => a.split('{').length - b.split('{').length);
    this.#paths = byParameters.map((path) => [new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`), path]);
  }

  faults(given: Given): string[] {
    const asked = given.path.split('?')[0] ?? '';
    const [, path] = this.#paths.find(([pattern]) => pattern.test(asked)) ?? [];
    if (path === undefined) return [];
    const methods = this.#document.paths[path] ?? {};
    const method = given.method === 'HEAD' ? 'get' : given.method.toLowerCase();
    const responses = methods[method]?.responses;
    if (responses === undefined) {
      const right = given.method === 'OPTIONS' ? 204 : 405;
      return given.status === right && given.headers.has('allow') ? [] : [`it must be ${right} with Allow`];
    }
    const described = responses[given.status];
    if (described === undefined) return [`only ${Object.keys(responses).join(', ')} are described`];
    return [...this.#headerFaults(given, described), ...this.#contentFaults(given, described)];
  }

  #headerFaults({ headers }: Given, described: Described): string[] {
    const known = Object.entries(described.headers ?? {});
    const names = new Set(known.map(([name]) => name));
    const untold = DESCRIBED_HEADERS.filter((name) => headers.has(name) && !names.has(name)).map(
      (name) => `it has ${name}`,
    );
    const wrong = known.flatMap(([name, reference]) => {
      const header = reference.$ref === undefined ? (reference as Header) : this.#document.components.headers[name];
      if (header === undefined) return [`there is no ${reference.$ref}`];
      const value = headers.get(name);
      if (value === null) return header.required ? [`it has no ${name}`] : [];
      const check = this.#check(header.schema);
      return check(header.schema.type === 'integer' ? Number(value) : value)
        ? []
        : [`${name}: ${value} ${this.#ajv.errorsText(check.errors)}`];
    });
    return [...untold, ...wrong];
  }

  #contentFaults({ method, headers, text }: Given, { content }: Described): string[] {
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    if (content === undefined) return text === '' ? [] : ['it has a body'];
    if ('*/*' in content) return [];
    if (!(type in content)) return [`its type is ${type || 'missing'}, not ${Object.keys(content).join(' or ')}`];
    if (method === 'HEAD') return text === '' ? [] : ['it has a body'];
    const check = this.#check(content[type]?.schema ?? {});
    return check(JSON.parse(text))
      ? []
      : [this.#ajv.errorsText(check.errors, { dataVar: 'the body', separator: '\n' })];
  }

  /** Answers with the same schema share its validator, whatever their endpoint. */
  #check(schema: object): ValidateFunction {
    const check = this.#checks.get(schema) ?? this.#compile(schema);
    this.#checks.set(schema, check);
    return check;
  }

  #compile(schema: object): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/');
    const known = this.#compiled.get(text) ?? this.#ajv.compile(JSON.parse(text));
    this.#compiled.set(text, known);
    return known;
  }
}
