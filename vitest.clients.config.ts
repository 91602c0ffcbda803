import { mergeConfig } from 'vitest/config';
import { defineConfig } from 'vitest/config';

const conditions = ['@workflowlookup/source', 'node', 'development|production'];

// `node scripts/run.mjs test:clients` runs these tests. They install real clients, which are large, from the registry.
export default mergeConfig(
  defineConfig({ resolve: { conditions }, ssr: { resolve: { conditions } } }),
  defineConfig({
    test: { include: ['apps/cli/test/clients/*.real.ts'], testTimeout: 300_000, maxWorkers: 2 },
  }),
);
