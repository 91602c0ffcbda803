import { defineConfig } from 'tsup';
import { app } from '../../tsup.base.ts';

// scripts/start.mjs imports `client-configs`, because it prints the same configuration blocks as `connect`.
export default defineConfig(app({ main: 'src/main.ts', 'client-configs': 'src/connect/clients.ts' }));
