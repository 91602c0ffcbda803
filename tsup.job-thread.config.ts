import { defineConfig } from 'tsup';
import { app } from './tsup.base.ts';

/**
 * Builds the worker thread of an app, beside the bundle. It shares no code with the bundle, because shared code would
 * split the bundle into more files. To find twice as many files, Node.js takes several MB of memory at each start.
 */
export default defineConfig({
  ...app({ 'job-thread': '../../packages/host/src/jobs/job-thread.ts' }),
  clean: false,
});
