import { mergeConfig } from 'vitest/config';
import { defineConfig } from 'vitest/config';

const conditions = ['@workflowlookup/source', 'node', 'development|production'];

// Tests with real clients, which are large and installed from the registry: `npm run test:clients`.
export default mergeConfig(
  defineConfig({ resolve: { conditions }, ssr: { resolve: { conditions } } }),
  defineConfig({
    test: { include: ['apps/cli/test/clients/*.real.ts'], testTimeout: 300_000, maxWorkers: 2 },
  }),
);
