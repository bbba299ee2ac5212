import { resolve } from 'node:path';
import { isLoopback } from './http/known-hosts.ts';
import { databaseName, hasUser, httpAddress, listenAddress, publicAddress } from './settings/own-places.ts';
import { type Env, type Setting, SettingReader } from './settings/setting-reader.ts';
import { RETRY_SECONDS } from './webhooks/retry-schedule.ts';
import { secretKeys } from './webhooks/secret-box.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const ENVIRONMENTS = ['demo', 'production'] as const;
const PERSISTED_MODES = ['automatic', 'only', 'off'] as const;
/** The purpose of a deployment: learning and demonstration, or live data (interface, "Environments"). */
export type Environment = (typeof ENVIRONMENTS)[number];
/** Never `secondary` alone: without any secondary, there would be no statistics. */
const STATISTICS_READ = ['primary', 'primaryPreferred', 'secondaryPreferred', 'nearest'] as const;
const SWITCH = ['on', 'off'] as const;
const FLAG = ['1', '0'] as const;
const MEGABYTE = 1024 * 1024;

/** The whole configuration of one gateway; read once, at start (contract §1). */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly environment: Environment;
  /** If undefined, the embedded database is used. */
  readonly mongodbUri: string | undefined;
  readonly mongodbDatabase: string;
  readonly dataDir: string;
  /** The path of the mongod to run as the embedded database. */
  readonly mongodBinary: string | undefined;
  /** The public address of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** Whether the operator set BASE_URL. */
  readonly hasBaseUrl: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Where metrics are served; port 0 means not at all. */
  readonly metrics: { readonly host: string; readonly port: number; readonly isChosen: boolean };
  /** Where traces are sent by OTLP, and with which headers; without an endpoint, none are sent. */
  readonly traces: { readonly endpoint: string | undefined; readonly headers: string | undefined };
  /** Requests and commands that take longer are logged; 0 logs none. */
  readonly slowMs: number;
  /** How long a stopping service still accepts requests, so that a load balancer can notice. */
  readonly drainSeconds: number;
  /** Which members of the replica set statistics are read from. */
  readonly statisticsReadPreference: (typeof STATISTICS_READ)[number];
  /** How many processes serve the port. */
  readonly workers: number;
  /** The number of proxies in front whose X-Forwarded-… headers are trusted. */
  readonly trustProxy: number;
  readonly maxBodyBytes: number;
  readonly maxFileBytes: number;
  /** The quotas of one tenant; 0 is no limit. */
  readonly quotas: { readonly fileBytes: number; readonly documents: number; readonly workspaces: number };
  readonly sessionTtlSeconds: number;
  /** How long a session may be idle; 0 is no limit within its lifetime. */
  readonly sessionIdleSeconds: number;
  /** Requests that a principal may send per minute; 0 is no limit. */
  readonly rateLimitPerMinute: number;
  readonly jwt: { readonly jwksUrl: string; readonly issuer: string; readonly audience: string } | undefined;
  readonly corsOrigins: readonly string[];
  /** Whether the demo, whose keys are public, may be reached from other machines. */
  readonly demoPublic: boolean;
  /** Whether the documentation and GraphiQL are shown to callers without a credential. */
  readonly publicDocs: boolean;
  /** How long a client may stall, in milliseconds: sending a JSON body, uploading a file, reading an answer. */
  readonly stalls: { readonly bodyMs: number; readonly uploadMs: number; readonly readerMs: number };
  /** How long an idle connection is kept open, in milliseconds. */
  readonly keepAliveMs: number;
  /** Whether changes are recorded for subscriptions. */
  readonly events: (typeof SWITCH)[number];
  /** How long the recorded changes are kept. */
  readonly eventsTtlSeconds: number;
  /** How long the audit log and deleted data are kept, in days. */
  readonly auditTtlDays: number;
  /** Deliveries to the addresses of tenants (contract §14). */
  readonly webhooks: {
    /** Which non-public addresses they may go to. */
    readonly allowPrivate: 'none' | 'loopback' | 'all';
    /** The pauses before each attempt. */
    readonly retrySeconds: readonly number[];
    readonly timeoutMs: number;
    readonly maxPerTenant: number;
    /** The keys that encrypt webhook secrets in the database, newest first; without any, secrets are not encrypted. */
    readonly secretKeys: readonly Buffer[];
  };
  /** The limits on one GraphQL operation (contract §11); REST is not subject to them. */
  readonly graphql: {
    /** Nested fields. */
    readonly maxDepth: number;
    readonly maxAliases: number;
    readonly maxTokens: number;
    /** Estimated. */
    readonly maxCost: number;
    /** Items of one page. */
    readonly maxPageSize: number;
    /** 0 is no limit. */
    readonly timeoutMs: number;
    /** Bytes of one answer. */
    readonly maxAnswerBytes: number;
    /** Whether operations may be sent as their hash, and whether operations other than the operator's are run. */
    readonly persistedOperations: (typeof PERSISTED_MODES)[number];
    /** The file or folder of the operator's operations. */
    readonly persistedOperationsPath: string | undefined;
    /** Whether graphql-jit compiles operations, or graphql-js alone runs them. */
    readonly jit: (typeof SWITCH)[number];
  };
}

/** An invalid configuration: one line per problem, with the variable, its value and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads the configuration from environment variables and CONFIG_FILE; throws one ConfigError that lists every problem. */
export function readConfig(env: Env): Config {
  return readSettings(env).config;
}

/** Reads the configuration, and the settings it comes from. */
export function readSettings(env: Env): { readonly config: Config; readonly settings: readonly Setting[] } {
  const reader = new SettingReader(env);
  const config = configOf(reader);
  reader.refuseUnknown();
  if (reader.problems.length > 0) throw new ConfigError(reader.problems.join('\n'));
  return { config: Object.freeze(config), settings: reader.settings };
}

function configOf(reader: SettingReader): Config {
  const mongodbUri = reader.mongodbAddress('MONGODB_URI');
  const environment = reader.choice('ENVIRONMENT', ENVIRONMENTS, reader.given('MONGODB_URI') ? 'production' : 'demo');
  const isDemo = environment === 'demo';
  const port = reader.whole('PORT', 4000, 0, 65_535);
  const host = listenAddress(reader, 'HOST', '127.0.0.1');
  const jwt = tokenIssuer(reader, environment);
  const config: Config = {
    port,
    host,
    environment,
    mongodbUri,
    mongodbDatabase: databaseName(reader),
    mongodBinary: reader.given('MONGOD_BINARY'),
    dataDir: resolve(reader.text('DATA_DIR', '.data')),
    baseUrl: publicAddress(reader) ?? reader.standard('BASE_URL', httpAddress(host, port)),
    hasBaseUrl: reader.given('BASE_URL') !== undefined,
    logLevel: reader.choice('LOG_LEVEL', LOG_LEVELS, 'info'),
    metrics: metricsPlace(reader, { host, port }),
    traces: Object.freeze({
      endpoint: reader.address('OTEL_EXPORTER_OTLP_ENDPOINT', ['http', 'https']),
      headers: reader.given('OTEL_EXPORTER_OTLP_HEADERS'),
    }),
    slowMs: reader.whole('SLOW_MS', 1_000, 0, 3_600_000),
    drainSeconds: reader.whole('DRAIN_SECONDS', 0, 0, 300),
    statisticsReadPreference: reader.choice('STATISTICS_READ_PREFERENCE', STATISTICS_READ, 'primary'),
    workers: reader.whole('WORKERS', 1, 1, 64),
    trustProxy: reader.whole('TRUST_PROXY', 0, 0, 16),
    maxBodyBytes: reader.whole('MAX_BODY_BYTES', 32 * MEGABYTE, 1024, 1024 * MEGABYTE),
    maxFileBytes: reader.whole('MAX_FILE_BYTES', 1024 * MEGABYTE, 1, Number.MAX_SAFE_INTEGER),
    quotas: Object.freeze({
      fileBytes: reader.whole('MAX_TENANT_FILE_BYTES', 0, 0, Number.MAX_SAFE_INTEGER),
      documents: reader.whole('MAX_TENANT_DOCUMENTS', 0, 0, Number.MAX_SAFE_INTEGER),
      workspaces: reader.whole('MAX_TENANT_WORKSPACES', 0, 0, Number.MAX_SAFE_INTEGER),
    }),
    sessionTtlSeconds: reader.whole('SESSION_TTL_SECONDS', 8 * 60 * 60, 1, 365 * 24 * 60 * 60),
    sessionIdleSeconds: reader.whole('SESSION_IDLE_SECONDS', 60 * 60, 0, 365 * 24 * 60 * 60),
    rateLimitPerMinute: reader.whole('RATE_LIMIT_PER_MINUTE', isDemo ? 0 : 6_000, 0, 10_000_000),
    jwt,
    corsOrigins: origins(reader),
    demoPublic: reader.choice('DEMO_PUBLIC', FLAG, '0') === '1',
    publicDocs: reader.choice('PUBLIC_DOCS', FLAG, isDemo ? '1' : '0') === '1',
    stalls: Object.freeze({
      bodyMs: reader.whole('BODY_STALL_SECONDS', 30, 1, 3_600) * 1_000,
      uploadMs: reader.whole('UPLOAD_STALL_SECONDS', 60, 1, 3_600) * 1_000,
      readerMs: reader.whole('READER_STALL_SECONDS', 60, 1, 3_600) * 1_000,
    }),
    keepAliveMs: reader.whole('KEEP_ALIVE_SECONDS', 75, 1, 3_600) * 1_000,
    events: reader.choice('EVENTS', SWITCH, 'on'),
    eventsTtlSeconds: reader.whole('EVENTS_TTL_SECONDS', 7 * 24 * 60 * 60, 60, 365 * 24 * 60 * 60),
    auditTtlDays: reader.whole('AUDIT_TTL_DAYS', 400, 1, 36_500),
    webhooks: webhooksOf(reader, environment),
    graphql: graphqlOf(reader),
  };
  if (isDemo && !config.demoPublic && !isLoopback(host)) {
    reader.refuse(
      'HOST',
      'a loopback address in the demo, whose keys are published; set DEMO_PUBLIC=1 to open it',
      host,
    );
  }
  return config;
}

/** Metrics never share the API's port, where all its clients could read them; if PORT is their default port, they are not served. */
function metricsPlace(reader: SettingReader, api: Pick<Config, 'host' | 'port'>): Config['metrics'] {
  const host = listenAddress(reader, 'METRICS_HOST', api.host);
  const port = reader.whole('METRICS_PORT', 9_464, 0, 65_535);
  const isChosen = reader.given('METRICS_PORT') !== undefined;
  if (port !== api.port || port === 0) return Object.freeze({ host, port, isChosen });
  const allowed = 'a port other than PORT, because anyone who can reach it can read the metrics';
  return Object.freeze({ host, port: isChosen ? reader.refuse('METRICS_PORT', allowed, 0) : 0, isChosen });
}

/** Tokens are accepted with all of these set, or not at all: a token meant for another service must never pass. */
const JWT = ['JWT_JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'] as const;

/** Who issues the tokens that are accepted; undefined if none are. */
function tokenIssuer(reader: SettingReader, environment: Environment): Config['jwt'] {
  const jwksUrl = keysAddress(reader, environment);
  const issuer = reader.given('JWT_ISSUER');
  const audience = reader.given('JWT_AUDIENCE');
  const missing = JWT.filter((name) => reader.given(name) === undefined);
  if (missing.length < JWT.length) {
    reader.problems.push(...missing.map((name) => `${name} is not set, and ${JWT.join(', ')} belong together.`));
  }
  return jwksUrl && issuer && audience ? { jwksUrl, issuer, audience } : undefined;
}

/** JWT_JWKS_URL is requested with fetch(), which rejects addresses with a user. */
function keysAddress(reader: SettingReader, environment: Environment): string | undefined {
  const address = reader.address('JWT_JWKS_URL', environment === 'production' ? ['https'] : ['https', 'http']);
  if (address === undefined || !hasUser(address)) return address;
  return reader.refuse('JWT_JWKS_URL', 'an address without a user and a password', undefined);
}

function origins(reader: SettingReader): readonly string[] {
  const list = (reader.given('CORS_ORIGINS') ?? '').split(',');
  const named = list.map((origin) => origin.trim()).filter(Boolean);
  if (named.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin)) return named;
  return reader.refuse('CORS_ORIGINS', 'a comma-separated list of origins such as https://app.example', []);
}

const SECRET_KEYS =
  '32 bytes in base64 (openssl rand -base64 32), or several of them, separated by commas, the newest first';
const RETRIES = 'a comma-separated list of 1 to 20 whole numbers, the seconds before each attempt, such as 0,5,300';

function webhooksOf(reader: SettingReader, environment: Environment): Config['webhooks'] {
  return Object.freeze({
    allowPrivate: privateAddresses(reader, environment),
    retrySeconds:
      retrySeconds(reader.text('WEBHOOK_RETRY_SECONDS', RETRY_SECONDS.join(','))) ??
      reader.refuse('WEBHOOK_RETRY_SECONDS', RETRIES, []),
    timeoutMs: reader.whole('WEBHOOK_TIMEOUT_SECONDS', 20, 1, 60) * 1_000,
    maxPerTenant: reader.whole('WEBHOOK_MAX_PER_TENANT', 20, 1, 1_000),
    secretKeys: encryptionKeys(reader),
  });
}

/** Only public addresses, plus loopback in the demo; all addresses if the operator allows it. */
function privateAddresses(reader: SettingReader, environment: Environment): Config['webhooks']['allowPrivate'] {
  if (reader.given('WEBHOOK_ALLOW_PRIVATE') === undefined) return environment === 'demo' ? 'loopback' : 'none';
  return reader.choice('WEBHOOK_ALLOW_PRIVATE', FLAG, '0') === '1' ? 'all' : 'none';
}

function retrySeconds(text: string): readonly number[] | undefined {
  const numbers = text.split(',').map((part) => (/^\s*\d{1,7}\s*$/.test(part) ? Number(part) : Number.NaN));
  return numbers.length > 20 || numbers.some(Number.isNaN) ? undefined : numbers;
}

function encryptionKeys(reader: SettingReader): readonly Buffer[] {
  const text = reader.given('WEBHOOK_SECRET_KEY');
  if (text === undefined) return [];
  return secretKeys(text) ?? reader.refuse('WEBHOOK_SECRET_KEY', SECRET_KEYS, []);
}

function graphqlOf(reader: SettingReader): Config['graphql'] {
  const graphql: Config['graphql'] = Object.freeze({
    maxDepth: reader.whole('GRAPHQL_MAX_DEPTH', 20, 1, 100),
    maxAliases: reader.whole('GRAPHQL_MAX_ALIASES', 50, 0, 10_000),
    maxTokens: reader.whole('GRAPHQL_MAX_TOKENS', 5_000, 10, 100_000),
    maxCost: reader.whole('GRAPHQL_MAX_COST', 100_000, 1, Number.MAX_SAFE_INTEGER),
    maxPageSize: reader.whole('GRAPHQL_MAX_PAGE_SIZE', 1_000, 1, 1_000),
    timeoutMs: reader.whole('GRAPHQL_TIMEOUT_MS', 30_000, 0, 3_600_000),
    maxAnswerBytes: reader.whole('GRAPHQL_MAX_ANSWER_BYTES', 64 * MEGABYTE, 1024, 256 * MEGABYTE),
    persistedOperations: reader.choice('PERSISTED_OPERATIONS', PERSISTED_MODES, 'automatic'),
    persistedOperationsPath: reader.given('PERSISTED_OPERATIONS_PATH'),
    jit: reader.choice('GRAPHQL_JIT', SWITCH, 'on'),
  });
  if (graphql.persistedOperations === 'only' && graphql.persistedOperationsPath === undefined) {
    const needed = 'the file or folder of the operations, where PERSISTED_OPERATIONS is only';
    reader.refuse('PERSISTED_OPERATIONS_PATH', needed, undefined);
  }
  return graphql;
}
