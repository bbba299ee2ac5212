import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Node's own conditions, so that a package is loaded once: graphql has another build for "development".
  ssr: { resolve: { conditions: ['module-sync', 'node'], externalConditions: ['module-sync', 'node'] } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 180_000,
    globalSetup: ['test/global-setup.ts'],
    maxWorkers: 2,
  },
});
