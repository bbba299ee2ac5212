import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { problemsOf } from './config-problems.ts';

const JWT = {
  JWT_JWKS_URL: 'https://login.example/keys',
  JWT_ISSUER: 'https://login.example',
  JWT_AUDIENCE: 'exchange',
};

describe('the configuration', () => {
  it('requires nothing: a demo on the loopback interface with the embedded database', () => {
    expect(readConfig({})).toMatchObject({
      port: 4000,
      host: '127.0.0.1',
      environment: 'demo',
      mongodbUri: undefined,
      baseUrl: 'http://127.0.0.1:4000',
      rateLimitPerMinute: 0,
      maxFileBytes: 2 ** 30,
      jwt: undefined,
      corsOrigins: [],
    });
  });

  it('is frozen', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
  });

  it('is production where a database is given, unless set to demo', () => {
    const MONGODB_URI = 'mongodb://a.example:27017,b.example/?replicaSet=rs';
    expect(readConfig({ MONGODB_URI })).toMatchObject({ environment: 'production', mongodbUri: MONGODB_URI });
    expect(readConfig({ MONGODB_URI }).rateLimitPerMinute).toBeGreaterThan(0);
    expect(readConfig({ MONGODB_URI, ENVIRONMENT: 'demo' }).environment).toBe('demo');
    expect(readConfig({ MONGODB_URI: 'mongodb+srv://cluster.example/x' }).environment).toBe('production');
  });

  it('ignores empty values and surrounding space left by a shell', () => {
    expect(readConfig({ PORT: '', HOST: ' ', MONGODB_URI: '', ENVIRONMENT: ' production ' })).toMatchObject({
      port: 4000,
      host: '127.0.0.1',
      mongodbUri: undefined,
      environment: 'production',
    });
  });

  it('names the address clients use', () => {
    expect(readConfig({ PORT: '81', HOST: '::1' }).baseUrl).toBe('http://[::1]:81');
    const HOST = 'fe80::1%eth0';
    expect(readConfig({ PORT: '81', HOST, DEMO_PUBLIC: '1' })).toMatchObject({
      host: HOST,
      baseUrl: 'http://[fe80::1]:81',
    });
    expect(readConfig({ BASE_URL: 'https://api.example/inspection/' }).baseUrl).toBe('https://api.example/inspection');
  });

  it.each([
    ['PORT', 'abc'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '4000.5'],
    ['PORT', '0x10'],
    ['ENVIRONMENT', 'staging'],
    ['ENVIRONMENT', 'Demo'],
    ['MONGODB_URI', 'localhost:27017'],
    ['MONGODB_URI', 'http://db.example'],
    ['MONGODB_URI', 'mongodb://'],
    ['MONGODB_DATABASE', 'a/b'],
    ['MONGODB_DATABASE', 'x'.repeat(64)],
    ['MONGODB_DATABASE', 'é'.repeat(32)],
    ['MONGODB_DATABASE', 'admin'],
    ['MONGODB_DATABASE', 'Local'],
    ['MONGODB_DATABASE', 'CONFIG'],
    ['BASE_URL', 'api.example'],
    ['BASE_URL', 'ftp://api.example'],
    ['BASE_URL', 'https://api.example/?x=1'],
    ['BASE_URL', 'https://api.example?'],
    ['BASE_URL', 'https://api.example/#top'],
    ['HOST', '0.0.0.0'],
    ['HOST', '::'],
    ['HOST', '192.168.1.7'],
    ['HOST', 'localhost.evil.example'],
    ['HOST', '999.1.1.1'],
    ['HOST', 'a host'],
    ['HOST', 'localhost:80'],
    ['HOST', 'http://localhost'],
    ['METRICS_HOST', '127.0.0.1:9464'],
    ['DEMO_PUBLIC', 'true'],
    ['PUBLIC_DOCS', 'yes'],
    ['BODY_STALL_SECONDS', '0'],
    ['SESSION_IDLE_SECONDS', '-1'],
    ['LOG_LEVEL', 'verbose'],
    ['WORKERS', '0'],
    ['WORKERS', 'all'],
    ['TRUST_PROXY', 'true'],
    ['MAX_BODY_BYTES', '10'],
    ['MAX_FILE_BYTES', '1GB'],
    ['SESSION_TTL_SECONDS', '0'],
    ['RATE_LIMIT_PER_MINUTE', '-5'],
    ['JWT_JWKS_URL', 'file:///keys'],
    ['CORS_ORIGINS', 'https://app.example/path'],
    ['CORS_ORIGINS', 'https://good.example,*'],
    ['GRAPHQL_MAX_DEPTH', '0'],
    ['GRAPHQL_MAX_ALIASES', 'many'],
    ['GRAPHQL_MAX_TOKENS', '1'],
    ['GRAPHQL_MAX_COST', '0'],
    ['GRAPHQL_MAX_PAGE_SIZE', '1001'],
    ['GRAPHQL_TIMEOUT_MS', '30s'],
    ['PERSISTED_OPERATIONS', 'true'],
  ])('refuses %s=%s in one line naming the variable and what is allowed', (name, value) => {
    const problems = problemsOf({ ...(name.startsWith('JWT_') && JWT), [name]: value });
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name}=.* cannot be used: it must be .+\\.$`))]);
    if (name !== 'MONGODB_URI') expect(problems[0]).toContain(JSON.stringify(value));
  });

  it.each([
    'mongodb://u:s3cr3t%40127.0.0.1:47320/db',
    'mongodb://u:s3cr3t',
    'mongodb://u:s3cr3t,host:1/',
    'mongodb://u:s3cr3t:x/?replicaSet=a',
    'mongodb://u:s3cr3t/x@host:1/',
    'mongodb://u:123/s3cr3t@host:1/',
    'mongodb://u:123?s3cr3t@host:1/?replicaSet=a',
    'mongodb://u:s3cr3t@x@host:1/',
    'mongodb://u:s3cr3t%@host:1/',
    'mongodb://u:s3cr3t@host:70000/',
    'mongodb+srv://u:s3cr3t@host:27017/',
  ])('refuses %s with everything wrong with it, without showing the password', (MONGODB_URI) => {
    expect(problemsOf({ MONGODB_URI, PORT: 'x' })).toEqual([
      expect.stringMatching(/^MONGODB_URI=\(its value is not shown\) .* must be percent-encoded, as %40 for @\.$/),
      expect.stringMatching(/^PORT=/),
    ]);
    expect(problemsOf({ MONGODB_URI }).join()).not.toContain('s3cr3t');
  });

  it.each([
    'mongodb://u:p%40ss@127.0.0.1:27017/?replicaSet=a&w=majority',
    'mongodb://u:@[::1]:27017,db_1.example/x?authMechanismProperties=TOKEN_RESOURCE:api://x@y',
    'mongodb://%2Ftmp%2Fmongodb-27017.sock/?',
    'mongodb+srv://u:p@bücher.example/?tls=true&',
  ])('accepts %s', (MONGODB_URI) => expect(readConfig({ MONGODB_URI }).mongodbUri).toBe(MONGODB_URI));

  it('refuses an address with a user or password, without showing them', () => {
    for (const user of ['me', 'me:pass-word', 'me:pass@word']) {
      expect(problemsOf({ BASE_URL: `https://${user}@api.example` })).toEqual([
        'BASE_URL="https://***@api.example" cannot be used: it must be an address without a user, a password, a query (?) and a fragment (#).',
      ]);
      expect(problemsOf({ ...JWT, JWT_JWKS_URL: `https://${user}@login.example/keys/` })).toEqual([
        'JWT_JWKS_URL="https://***@login.example/keys/" cannot be used: it must be an address without a user and a password.',
      ]);
    }
  });

  it.each(['me:pass/word', 'me:pass/word@x', 'me:pass//word', 'me:pass word'])(
    'shows no part of a user or password that makes an address invalid: %s',
    (user) => {
      const [problem] = problemsOf({ BASE_URL: `https://${user}@api.example:x` });
      expect(problem).toMatch('BASE_URL="https://***@api.example:x" cannot be used');
    },
  );

  it("reports a list's fault once", () => {
    expect(problemsOf({ CORS_ORIGINS: '1,x,https://a.example' })).toEqual([
      expect.stringMatching(/^CORS_ORIGINS="1,x,https:\/\/a.example" cannot be used/),
    ]);
  });

  it('keeps the demo, whose keys are published, on loopback addresses unless DEMO_PUBLIC says otherwise', () => {
    expect(problemsOf({ HOST: '0.0.0.0' })).toEqual([expect.stringContaining('DEMO_PUBLIC=1')]);
    for (const HOST of ['127.0.0.1', '127.0.0.2', '::1', 'localhost', 'LOCALHOST']) {
      expect([HOST, problemsOf({ HOST })]).toEqual([HOST, []]);
    }
    expect(problemsOf({ HOST: '0.0.0.0', DEMO_PUBLIC: '1' })).toEqual([]);
    expect(problemsOf({ HOST: '0.0.0.0', ENVIRONMENT: 'production' })).toEqual([]);
    const MONGODB_URI = 'mongodb://db.example';
    expect(problemsOf({ HOST: '0.0.0.0', MONGODB_URI })).toEqual([]);
    expect(problemsOf({ HOST: '0.0.0.0', MONGODB_URI, ENVIRONMENT: 'demo' })).toHaveLength(1);
  });

  it('accepts token keys over plain http only in the demo', () => {
    const plain = { ...JWT, JWT_JWKS_URL: 'http://login.example/keys' };
    expect(problemsOf(plain)).toEqual([]);
    expect(problemsOf({ ...plain, ENVIRONMENT: 'production' })).toEqual([expect.stringContaining('https://')]);
  });

  it('fetches token keys from exactly the given address, trailing slash included', () => {
    const JWT_JWKS_URL = 'https://login.example/application/o/exchange/jwks/';
    expect(readConfig({ ...JWT, JWT_JWKS_URL }).jwt?.jwksUrl).toBe(JWT_JWKS_URL);
  });

  it('shows its docs to strangers in the demo, and in production only on request', () => {
    const production = { ENVIRONMENT: 'production' };
    expect([readConfig({}).publicDocs, readConfig(production).publicDocs]).toEqual([true, false]);
    expect(readConfig({ ...production, PUBLIC_DOCS: '1' }).publicDocs).toBe(true);
  });

  it('requires the operations when nothing else is allowed', () => {
    expect(problemsOf({ PERSISTED_OPERATIONS: 'only' })).toEqual([
      'PERSISTED_OPERATIONS_PATH is not set: it must be the file or folder of the operations, where PERSISTED_OPERATIONS is only.',
    ]);
    expect(problemsOf({ PERSISTED_OPERATIONS: 'only', PERSISTED_OPERATIONS_PATH: 'operations' })).toEqual([]);
  });

  it('requires the three token variables together, or none', () => {
    expect(readConfig(JWT).jwt).toEqual({
      jwksUrl: JWT.JWT_JWKS_URL,
      issuer: JWT.JWT_ISSUER,
      audience: JWT.JWT_AUDIENCE,
    });
    for (const name of ['JWT_JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'] as const) {
      expect(problemsOf({ ...JWT, [name]: '' })).toEqual([
        `${name} is not set, and JWT_JWKS_URL, JWT_ISSUER, JWT_AUDIENCE belong together.`,
      ]);
    }
  });

  it('lists every problem at once', () => {
    expect(problemsOf({ PORT: 'x', WORKERS: 'y', ENVIRONMENT: 'z', LOG_LEVEL: 'debug' })).toHaveLength(3);
  });

  it('never shows the database password', () => {
    const [problem] = problemsOf({ MONGODB_URI: 'postgres://user:pass-word@db.example' });
    expect(problem).toMatch(/^MONGODB_URI=/);
    expect(problem).not.toContain('pass-word');
  });
});

const said = (name: string, meant: string): string[] => [
  `${name} is not a setting, and ${meant} is not set: correct the name, or remove the variable.`,
];

describe('a name in the environment that resembles a setting which is not set', () => {
  it.each([
    ['GRAPHQL_TIMOUT_MS', 'GRAPHQL_TIMEOUT_MS'],
    ['MAX_TENANT_DOCUMENT', 'MAX_TENANT_DOCUMENTS'],
    ['MONGODB_URL', 'MONGODB_URI'],
    ['MONGODB_URL_FILE', 'MONGODB_URI_FILE'],
    ['WEBHOOK_SECRETS_KEY', 'WEBHOOK_SECRET_KEY'],
    ['CONFIG_FLIE', 'CONFIG_FILE'],
    ['BASE_URI', 'BASE_URL'],
  ])('is refused, with the name that was meant: %s', (name, meant) => {
    expect(problemsOf({ [name]: 'a value' })).toEqual(said(name, meant));
  });

  it.each([
    ['SESSION_TTL', 'SESSION_TTL_SECONDS'],
    ['AUDIT_TTL_SECONDS', 'AUDIT_TTL_DAYS'],
    ['GRAPHQL_TIMEOUT_SECONDS', 'GRAPHQL_TIMEOUT_MS'],
    ['RATE_LIMIT', 'RATE_LIMIT_PER_MINUTE'],
  ])('is refused without its unit, or with another one: %s', (name, meant) => {
    expect(problemsOf({ [name]: '1' })).toEqual(said(name, meant));
  });

  it('is listed with all other problems, without its value', () => {
    const problems = problemsOf({ MONGODB_URL: 'mongodb://svc:pass-word@db.example', PORT: 'x' });
    expect(problems).toEqual([
      expect.stringMatching(/^PORT="x" cannot be used/),
      ...said('MONGODB_URL', 'MONGODB_URI'),
    ]);
  });
});

describe('a name of another program', () => {
  it('is left alone where the setting that it resembles is set', () => {
    const MONGODB_URI = 'mongodb://db.example/?replicaSet=rs';
    expect(readConfig({ MONGODB_URI, MONGODB_URL: 'mongodb://other.example' }).mongodbUri).toBe(MONGODB_URI);
  });

  it('is left alone where it resembles none, or is short, or empty', () => {
    const others = [
      'HOSTNAME',
      'PORTS',
      'EVENT',
      'DASH_URL',
      'MONGODB_HOST',
      'MONGODB_PORT',
      'DATABASE_URL',
      'NODE_COMPILE_CACHE',
    ];
    const traces = [
      'OTEL_SERVICE_NAME',
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'OTEL_EXPORTER_OTLP_TIMEOUT',
      'OTEL_TRACES_SAMPLER',
    ];
    expect(problemsOf(Object.fromEntries([...others, ...traces].map((name) => [name, 'x'])))).toEqual([]);
    expect(problemsOf({ GRAPHQL_TIMOUT_MS: ' ' })).toEqual([]);
  });
});
