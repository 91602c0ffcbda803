import { configDefaults, defineConfig } from 'vitest/config';
import { isLong } from './test/is-long.ts';

// The source condition makes tests run on TypeScript sources: nothing has to be built first. Without `module`, for what
// packages give bundlers is not always what Node can load.
const conditions = ['@workflowlookup/source', 'node', 'development|production'];

// Packages without state of their own: their tests can share one process, which loads every module once.
const pure = ['analysis', 'conditions', 'core', 'diagrams', 'mcp', 'schema', 'validation'].map(
  (name) => `packages/${name}/test/**/*.test.ts`,
);

// `npm test` leaves out the tests that `npm run test:system` runs; both set the variable or name the files.
const half = process.env['WORKFLOWLOOKUP_TESTS'];
const system = '**/*.system.test.ts';
const leftOut = [...configDefaults.exclude, ...(half === 'unit' ? [system] : [])];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      { extends: true, test: { name: 'pure', include: pure, exclude: leftOut, isolate: false } },
      {
        extends: true,
        test: {
          name: 'others',
          include: [
            'packages/*/test/**/*.test.ts',
            'apps/*/test/**/*.test.ts',
            'workflows/test/**/*.test.ts',
            'examples/**/*.test.ts',
            'test/**/*.test.ts',
          ],
          exclude: [...leftOut, ...pure],
        },
      },
    ],
    // Much of the time is spent waiting for child processes and files, so no core is kept free.
    maxWorkers: '100%',
    setupFiles: ['test/long-form.ts'],
    // Nothing is asked to be there in time: on a machine that has much else to do it comes late.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: isLong ? 600_000 : 20_000,
  },
});
