import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig(
  library({
    index: 'src/index.ts',
    bundled: 'src/bundled.ts',
    flags: 'src/flags.ts',
    'hook-acts': 'src/hook-acts.ts',
    'job-thread': 'src/jobs/job-thread.ts',
  }),
);
