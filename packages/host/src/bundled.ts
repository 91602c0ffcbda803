export { bundledAlone } from './sources/sources.ts';
export type { BundledWorkflow } from './sources/sources.ts';
