import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig, readSettings } from '../../src/config.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');
const table = page.slice(page.indexOf('\n## Configuration'), page.indexOf('\n## The embedded database'));
const described = new Map(
  [...table.matchAll(/^\| `([A-Z_]+)` \| (.*?) \| (.*) \|$/gm)].map(([, name = '', standard = '', text = '']) => [
    name,
    { standard, text },
  ]),
);

/** The variables read, including the one naming the settings file. */
const readVariables = (): string[] => ['CONFIG_FILE', ...readSettings({}).settings.map(({ name }) => name)];

const FURTHER_LIMITS = [
  'METRICS_PORT',
  'SLOW_MS',
  'DRAIN_SECONDS',
  'EVENTS_TTL_SECONDS',
  'GRAPHQL_MAX_DEPTH',
  'GRAPHQL_MAX_ALIASES',
  'GRAPHQL_MAX_TOKENS',
  'GRAPHQL_MAX_PAGE_SIZE',
  'GRAPHQL_TIMEOUT_MS',
];

const problemsOf = (env: Readonly<Record<string, string>>): string => {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};

describe('docs/operations.md', () => {
  it('describes every variable that is read, and no other', () => {
    expect([...described.keys()].sort()).toEqual(readVariables().sort());
  });

  it('states the defaults', () => {
    const {
      port,
      host,
      mongodbDatabase,
      maxBodyBytes,
      maxFileBytes,
      sessionTtlSeconds,
      workers,
      trustProxy,
      logLevel,
      eventsTtlSeconds,
      metrics,
      slowMs,
      drainSeconds,
      graphql,
    } = readConfig({});
    const defaults = {
      PORT: port,
      HOST: host,
      MONGODB_DATABASE: mongodbDatabase,
      MAX_BODY_BYTES: maxBodyBytes,
      MAX_FILE_BYTES: maxFileBytes,
      SESSION_TTL_SECONDS: sessionTtlSeconds,
      METRICS_PORT: metrics.port,
      SLOW_MS: slowMs,
      DRAIN_SECONDS: drainSeconds,
      WORKERS: workers,
      TRUST_PROXY: trustProxy,
      LOG_LEVEL: logLevel,
      EVENTS_TTL_SECONDS: eventsTtlSeconds,
      GRAPHQL_MAX_DEPTH: graphql.maxDepth,
      GRAPHQL_MAX_ALIASES: graphql.maxAliases,
      GRAPHQL_MAX_TOKENS: graphql.maxTokens,
      GRAPHQL_MAX_COST: graphql.maxCost,
      GRAPHQL_MAX_PAGE_SIZE: graphql.maxPageSize,
      GRAPHQL_TIMEOUT_MS: graphql.timeoutMs,
      PERSISTED_OPERATIONS: graphql.persistedOperations,
    };
    for (const [name, value] of Object.entries(defaults)) {
      expect(described.get(name)?.standard.split(' (')[0], name).toBe(String(value));
    }
    const MONGODB_URI = 'mongodb://db.example';
    expect([readConfig({}).environment, readConfig({ MONGODB_URI }).environment]).toEqual(['demo', 'production']);
    expect([readConfig({}).rateLimitPerMinute, readConfig({ MONGODB_URI }).rateLimitPerMinute]).toEqual([0, 6000]);
    expect(described.get('RATE_LIMIT_PER_MINUTE')?.standard).toBe('0 in demo, 6000 in production');
  });

  it('states the enforced limits', () => {
    for (const name of ['PORT', 'TRUST_PROXY', 'MAX_BODY_BYTES', 'SESSION_TTL_SECONDS', 'WORKERS', ...FURTHER_LIMITS]) {
      const [, low = '', high = ''] = /from (\d+) to (\d+)/.exec(problemsOf({ [name]: '-1' })) ?? [];
      expect(described.get(name)?.text, name).toContain(`${low} to ${high}`);
    }
    const levels = /one of (.*)\./.exec(problemsOf({ LOG_LEVEL: 'loud' }))?.[1]?.split(', ') ?? [];
    expect(levels.length).toBe(7);
    for (const level of levels) expect(described.get('LOG_LEVEL')?.text).toContain(level);
  });
});
