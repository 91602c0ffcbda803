import { defineConfig } from 'tsup';
import { app, jobThread } from '../../tsup.base.ts';

export default defineConfig(app({ main: 'src/main.ts', run: 'src/run.ts', 'job-thread': jobThread }));
