import { defineConfig } from 'tsup';
import { app } from './tsup.base.ts';

/**
 * Builds the worker thread of the app in the working folder, beside the bundle of the app. If they shared code, the
 * bundle would consist of so many files that V8 optimizes the functions of Node.js that resolve imports, which takes 4 MB.
 */
export default defineConfig({
  // Relative to the app.
  ...app({ 'job-thread': '../../packages/host/src/jobs/job-thread.ts' }),
  // The bundle is already there.
  clean: false,
});
