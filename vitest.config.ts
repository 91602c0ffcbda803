import { configDefaults, defineConfig } from 'vitest/config';
import { isLong } from './test/support/is-long.ts';

// The source condition makes tests run on TypeScript sources: nothing has to be built first. Without `module`, for what
// packages give bundlers is not always what Node can load.
const conditions = ['@workflowlookup/source', 'node', 'development|production'];

// Test files share a process, which loads every module once. These need one of their own: they replace a module, or look at
// everything that the process has open.
const alone = [
  'packages/host/test/audit-full-disk.test.ts',
  'packages/storage/test/files/live-edits.system.test.ts',
];

// `npm test` leaves out the tests that `npm run test:system` runs; both set the variable or name the files.
const half = process.env['WORKFLOWLOOKUP_TESTS'];
const system = '**/*.system.test.ts';
const leftOut = [...configDefaults.exclude, ...(half === 'unit' ? [system] : [])];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      { extends: true, test: { name: 'alone', include: alone, exclude: leftOut } },
      {
        extends: true,
        test: {
          name: 'together',
          isolate: false,
          include: [
            'packages/*/test/**/*.test.ts',
            'apps/*/test/**/*.test.ts',
            'workflows/test/**/*.test.ts',
            'examples/**/*.test.ts',
            'test/**/*.test.ts',
          ],
          exclude: [...leftOut, ...alone],
        },
      },
    ],
    // Much of the time is spent waiting for child processes and files, so no core is kept free.
    maxWorkers: '100%',
    // The gate runs the tests of each package by themselves: sources that several share are transformed once.
    experimental: { fsModuleCache: true },
    globalSetup: ['test/support/temporary-files.ts'],
    setupFiles: ['test/support/long-form.ts'],
    // Nothing is asked to be there in time: on a machine that has much else to do it comes late.
    expect: { poll: { timeout: 30_000 } },
    // Several times what a test takes on a busy machine. It only has to end a test that hangs.
    testTimeout: isLong ? 600_000 : 90_000,
    hookTimeout: 60_000,
  },
});
