import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** A layer's allowed imports: layers, files of src, and packages. Node's own modules are free, outside model. */
interface Allowed {
  readonly values: readonly string[];
  /** Only for `import type`. */
  readonly types: readonly string[];
}

/** docs/architecture.md, "Who may import whom". */
const ALLOWED: Readonly<Record<string, Allowed>> = {
  model: { values: ['uuid'], types: [] },
  store: {
    values: ['model', 'errors', 'mongodb', 'dataloader', 'lru-cache', 'uuid'],
    types: [],
  },
  'embedded-mongod': { values: ['scripts', 'mongodb', 'mongodb-memory-server-core', 'env-paths'], types: [] },
  auth: {
    values: [
      ...['http', 'model', 'errors', 'lru-cache', 'cookie', 'jose', 'uuid', 'proxy-addr', 'ipaddr.js'],
      ...['@zxcvbn-ts/core', '@zxcvbn-ts/language-common'],
    ],
    types: ['store'],
  },
  analysis: { values: ['model', 'decimal.js', 'convert'], types: [] },
  domain: {
    values: ['webhooks', 'analysis', 'store', 'model', 'errors', 'ajv', 'uuid', 'dataloader', 'fastest-levenshtein'],
    types: ['auth'],
  },
  webhooks: { values: ['model', 'ipaddr.js', 'standardwebhooks'], types: [] },
  'webhook-delivery': { values: ['webhooks', 'domain', 'store', 'model'], types: [] },
  'figure-audit-projection': { values: ['domain', 'analysis', 'store', 'model', 'errors'], types: ['auth'] },
  backup: { values: ['store', 'model', 'mongodb'], types: [] },
  verification: { values: ['figure-audit-projection', 'domain', 'store', 'model', 'mongodb'], types: [] },
  demo: { values: ['domain', 'analysis', 'store', 'auth', 'model', 'uuid'], types: [] },
  schema: { values: ['model', 'errors', '@pothos/core', 'graphql'], types: ['domain', 'analysis', 'context', 'auth'] },
  http: { values: ['model', 'errors', 'accepts', 'compression', 'content-type', 'multer', 'uuid'], types: [] },
  settings: { values: ['yaml', 'fastest-levenshtein'], types: [] },
  telemetry: {
    values: [
      'http',
      'store',
      'webhook-delivery',
      'rest-compat',
      'version',
      'prom-client',
      '@opentelemetry/api',
      '@opentelemetry/sdk-node',
    ],
    types: [],
  },
  'rest-compat': {
    values: [
      'http',
      'model',
      'errors',
      'graphql',
      'accepts',
      'canonicalize',
      'cookie',
      'find-my-way',
      'content-disposition',
      'range-parser',
    ],
    types: ['gateway', 'auth', 'openapi-types'],
  },
};

/** Composition roots may import everything. */
const COMPOSERS = [
  'main',
  'service',
  'background-tasks',
  'process',
  'app',
  'cors',
  'gateway',
  'graphql',
  'pages',
  'context',
  'error-masking',
  'config',
  'log',
  'version',
  'cli',
];

/** Layers that talk to MongoDB directly; all others ask the store, in its own terms. */
const SPEAK_TO_MONGODB = ['store', 'embedded-mongod', 'backup', 'verification', 'cli', 'error-masking'];

interface Import {
  readonly file: string;
  readonly target: string;
  readonly isType: boolean;
}

const files = globSync('{src,schema,rest-compat}/**/*.ts', { cwd: root });
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^;'"]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

const imports: readonly Import[] = files.flatMap((file) =>
  [...textOf(file).matchAll(IMPORT)].map(([, type, named, dynamic]) => ({
    file,
    target: named ?? dynamic ?? '',
    isType: type !== undefined,
  })),
);

/** The layer of one of our files: its folder, or its own name directly in src; calculations are apart from the domain. */
function layerOf(file: string): string {
  if (file.startsWith('src/domain/analysis/')) return 'analysis';
  const [top = '', second = ''] = file.split('/');
  if (top !== 'src') return top;
  return second.replace(/\.ts$/, '');
}

/** The target of an import: one of our layers, "node", or a package. */
function destinationOf({ file, target }: Import): string {
  if (target.startsWith('node:')) return 'node';
  if (target.startsWith('.')) return layerOf(relative(root, join(root, dirname(file), target)));
  return target.split('/', target.startsWith('@') ? 2 : 1).join('/');
}

function isAllowed(one: Import): boolean {
  const from = layerOf(one.file);
  const to = destinationOf(one);
  if (from === 'graphql' && to === 'rest-compat') return false;
  if (to === 'mongodb' && !SPEAK_TO_MONGODB.includes(from)) return false;
  if (from === to || COMPOSERS.includes(from)) return true;
  if (to === 'node') return from !== 'model';
  const { values, types } = ALLOWED[from] ?? { values: [], types: [] };
  return values.includes(to) || (one.isType && types.includes(to));
}

describe('the import table', () => {
  it('holds for every import of src, schema and rest-compat', () => {
    expect(imports.length).toBeGreaterThan(200);
    const spills = imports.filter((one) => !isAllowed(one));
    expect(spills.map(({ file, target, isType }) => `${file} → ${isType ? 'type ' : ''}${target}`)).toEqual([]);
  });

  it('lists every layer', () => {
    const layers = new Set(files.map(layerOf));
    const known = new Set([...Object.keys(ALLOWED), ...COMPOSERS, 'errors']);
    expect([...layers].filter((layer) => !known.has(layer))).toEqual([]);
  });

  it('keeps change streams apart from their projections', () => {
    const room = 'src/store/change-streams/';
    const destinations = imports
      .filter(({ file, target }) => file.startsWith(room) && target.startsWith('.'))
      .map(({ file, target }) => relative(root, join(root, dirname(file), target)))
      .map((path) => (path === 'src/store/connection/error-codes.ts' ? path : dirname(path)));
    expect(new Set(destinations)).toEqual(
      new Set([
        'src/store/batching',
        'src/store/change-streams',
        'src/store/connection/error-codes.ts',
        'src/store/leases',
      ]),
    );
  });

  it('lets errors import nothing', () => {
    expect(imports.filter(({ file }) => file === 'src/errors.ts')).toEqual([]);
  });

  it('detects a wrong import', () => {
    const wrong = [
      { file: 'rest-compat/v2/jobs.ts', target: '../../src/domain/documents.ts', isType: false },
      { file: 'rest-compat/v2/jobs.ts', target: '../../schema/job.ts', isType: true },
      { file: 'src/embedded-mongod/server.ts', target: '../store/stores.ts', isType: true },
      { file: 'rest-compat/exchange.ts', target: '../src/gateway.ts', isType: false },
      { file: 'src/store/entities/query.ts', target: '../../domain/lists/page.ts', isType: true },
      { file: 'src/http/bodies/body.ts', target: '../../rest-compat/endpoints.ts', isType: true },
      { file: 'src/model/json.ts', target: 'node:util', isType: false },
      { file: 'src/domain/lists/page.ts', target: 'mongodb', isType: true },
      { file: 'src/graphql/execution/jit.ts', target: 'mongodb', isType: true },
      { file: 'schema/job.ts', target: '../src/store/stores.ts', isType: true },
      { file: 'src/domain/analysis/units.ts', target: '../loaders/loaders.ts', isType: true },
      { file: 'src/graphql/http/endpoint.ts', target: '../../../rest-compat/exchange.ts', isType: false },
    ];
    expect(wrong.filter(isAllowed)).toEqual([]);
  });
});

describe('the files', () => {
  const arrows = new Map(files.map((file) => [file, [] as string[]]));
  for (const { file, target } of imports) {
    if (target.startsWith('.')) arrows.get(file)?.push(relative(root, join(root, dirname(file), target)));
  }

  /** The shortest import path from a file back to itself; undefined if there is none. */
  function circleOf(start: string, graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
    const seen = new Set<string>();
    const ways: (readonly string[])[] = [[start]];
    for (const way of ways) {
      for (const next of graph.get(way.at(-1) ?? '') ?? []) {
        if (next === start) return [...way, start];
        if (!seen.has(next)) ways.push([...way, next]);
        seen.add(next);
      }
    }
    return undefined;
  }

  it('have no import cycles, types included', () => {
    const circles = files.flatMap((file) => circleOf(file, arrows)?.join(' → ') ?? []);
    expect(circles).toEqual([]);
  });

  it('would be caught in a cycle', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['a']],
    ] as const);
    expect(circleOf('a', graph)).toEqual(['a', 'b', 'd', 'a']);
    expect(circleOf('c', graph)).toBeUndefined();
  });

  it('share a folder with at most fourteen others, tests with nineteen', () => {
    const folders = new Map<string, number>();
    const all = [...files, ...globSync('{test,bench,chaos,fuzz}/**/*.ts', { cwd: root })];
    for (const file of all) folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1);
    const NOUNS = ['schema']; // a file for each noun of the field
    const mostIn = (folder: string) => (folder.startsWith('test') ? 20 : 15);
    const crowded = [...folders].filter(([folder, count]) => count > mostIn(folder) && !NOUNS.includes(folder));
    expect(crowded).toEqual([]);
  });
});

describe('the sources', () => {
  it('have no file over 300 lines', () => {
    const all = [...files, ...globSync('{test,bench,chaos,fuzz}/**/*.ts', { cwd: root })];
    const long = all.filter((file) => textOf(file).trimEnd().split('\n').length > 300);
    expect(long).toEqual([]);
  });

  it('use no any, no suppression without a reason and no non-null assertion', () => {
    const FORBIDDEN =
      /(?:[:<(,|&]\s*|\bas\s+|=>\s*|extends\s+)any\b(?!\s+\w)|@ts-(?:ignore|nocheck|expect-error)|biome-ignore(?! [\w/]+: \w)|[\w\])]!(?:[.;,)\]]|$)/;
    const found = files.flatMap((file) =>
      withoutTexts(textOf(file))
        .split('\n')
        .flatMap((line, index) => (FORBIDDEN.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });
});

describe('MongoDB operators', () => {
  const OPERATOR =
    /['"{,\s]\$(?:and|or|nor|not|n?in|eq|ne|[gl]te?|exists|all|elemMatch|size|regex|expr|literal|set|setOnInsert|unset|inc|min|max|push|pull|addToSet|match|group|project|lookup|unwind|replaceRoot)['"]?\s*[:,\]]/;
  const operatorsIn = (source: string) => source.split('\n').filter((line) => OPERATOR.test(line));

  it('are used only by layers that talk to MongoDB', () => {
    const outside = files.filter((file) => !SPEAK_TO_MONGODB.includes(layerOf(file)));
    expect(outside.length).toBeGreaterThan(200);
    expect(outside.flatMap((file) => operatorsIn(textOf(file)).map((line) => `${file}: ${line.trim()}`))).toEqual([]);
  });

  it('would be detected', () => {
    const used = [
      'findMany({ _id: { $in: ids } })',
      "update({ '$inc': { held: 1 } })",
      'const named = { $or: [first, second] };',
      '      $exists: true,',
    ];
    expect(used.filter((line) => operatorsIn(line).length === 0)).toEqual([]);
    expect(operatorsIn('query Get($id: UUID!, $first: Int) { job(id: $id) { id } }')).toEqual([]);
  });
});

/** The source with its strings emptied but comments kept, since suppressions are comments. */
function withoutTexts(source: string): string {
  return source.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, (text) =>
    text.replace(/[^\n]/g, ' '),
  );
}
