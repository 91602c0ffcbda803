import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig(
  library({
    index: 'src/index.ts',
    memory: 'src/memory.ts',
    files: 'src/files.ts',
    layered: 'src/layered.ts',
    cached: 'src/cached.ts',
    sqlite: 'src/sqlite.ts',
    postgres: 'src/postgres.ts',
    journal: 'src/journal.ts',
    testing: 'src/testing.ts',
  }),
);
