import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig(
  library({
    index: 'src/index.ts',
    memory: 'src/memory.ts',
    files: 'src/files/index.ts',
    layered: 'src/layered.ts',
    cached: 'src/cached.ts',
    sqlite: 'src/sql/sqlite/index.ts',
    postgres: 'src/sql/postgres/index.ts',
    journal: 'src/journal.ts',
    testing: 'src/testing/index.ts',
  }),
);
