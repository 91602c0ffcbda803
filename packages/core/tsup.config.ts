import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig(
  library({
    index: 'src/index.ts',
    decisions: 'src/session/index.ts',
    jobs: 'src/jobs.ts',
    library: 'src/library/index.ts',
    operator: 'src/operator/index.ts',
    sessions: 'src/session-engine/index.ts',
    tokens: 'src/tokens.ts',
  }),
);
