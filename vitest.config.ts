import { defineConfig } from 'vitest/config';
import { isLong } from './test/is-long.ts';

// The source condition makes tests run on TypeScript sources: nothing has to be built first. Without `module`, for what
// packages give bundlers is not always what Node can load.
const conditions = ['@workflowlookup/source', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'apps/*/test/**/*.test.ts',
      'workflows/test/**/*.test.ts',
      'examples/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    // Much of the time is spent waiting for child processes and files, so no core is kept free.
    maxWorkers: '100%',
    setupFiles: ['test/long-form.ts'],
    // Nothing is asked to be there in time: on a machine that has much else to do it comes late.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: isLong ? 600_000 : 20_000,
  },
});
