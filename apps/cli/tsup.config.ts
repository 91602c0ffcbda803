import { defineConfig } from 'tsup';
import { app, jobThread } from '../../tsup.base.ts';

// The scripts of the repository print the same blocks as `connect`.
export default defineConfig(
  app({ main: 'src/main.ts', 'client-configs': 'src/connect/clients.ts', 'job-thread': jobThread }),
);
