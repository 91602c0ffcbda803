import { configDefaults, defineConfig } from 'vitest/config';
import { isLong } from './test/support/is-long.ts';

// With the source condition, tests run on TypeScript sources and need no build. The default condition `module` is left
// out, because it selects files for bundlers, and Node can't load all of them.
const conditions = ['@workflowlookup/source', 'node', 'development|production'];

// Test files share a process, which loads each module once. These files need their own process, because they replace a
// module, or inspect all files that the process has open.
const alone = [
  'packages/host/test/audit-full-disk.test.ts',
  'packages/storage/test/files/live-edits.system.test.ts',
];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
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
          exclude: [...configDefaults.exclude, ...alone],
        },
      },
    ],
    // Use all cores, because tests often wait for child processes and files.
    maxWorkers: '100%',
    // Compile a source file again only after it changed.
    experimental: { fsModuleCache: true },
    globalSetup: ['test/support/temporary-files.ts'],
    setupFiles: ['test/support/long-form.ts'],
    // Wait long, because everything is slow on a busy machine. No test requires that something happens quickly.
    expect: { poll: { timeout: 30_000 } },
    // Several times the longest duration of a test on a busy machine, because it must only end tests that hang.
    testTimeout: isLong ? 600_000 : 90_000,
    hookTimeout: 60_000,
  },
});
