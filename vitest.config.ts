import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, mostly because they wait for other processes: begun first, so that none is left for the end. */
const SLOWEST =
  `chaos streaming attacks subscription-gateways stop embedded-gives-up slow-clients dashboard open-streams docs-page
  creations keys killed/deletion killed/large-deletion killed/small-upload large-deletion deliveries differential hanging-database hanging-writes subscriptions embedded-restart main kept-audits
  large-rows changes migration-killed own-sessions disabled killed-gateway rolling-upgrade users packed backup graphiql parity-data-api
  metrics embedded-access embedded sign-in-failures kept-numbers verification session-ends
  ended-credentials`.split(/\s+/);

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = SLOWEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return index < 0 ? SLOWEST.length : index;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  // Node's own conditions, so that a package is loaded once: graphql has another build for "development".
  ssr: { resolve: { conditions: ['module-sync', 'node'], externalConditions: ['module-sync', 'node'] } },
  test: {
    include: ['test/**/*.test.ts'],
    // Limits of what fails, generous because others may be at work on the machine.
    testTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 180_000,
    globalSetup: ['test/global-setup.ts'],
    // What a sharded cluster would make of every command of the suite; SHARD_REPORT=FILE writes down how many it would broadcast.
    setupFiles: ['test/sharding/watch-commands.ts', 'test/property-seed.ts'],
    // For two cores: much of a test is waiting, for MongoDB, another process or a limit of time.
    maxWorkers: 3,
    // Each worker loads the service once, not once a file, which would be half of the time.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'schema/**/*.ts', 'rest-compat/**/*.ts'],
      autoAttachSubprocess: true, // gateways and commands that run in processes of their own
      reporter: ['text', 'json-summary', 'json'],
      reportsDirectory: '.cache/coverage',
      reportOnFailure: true,
      thresholds: { lines: 97 },
    },
  },
});
