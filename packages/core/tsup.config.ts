import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

const entries = ['index', 'decisions', 'jobs', 'library', 'operator', 'sessions', 'tokens'];

export default defineConfig(library(Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`]))));
