export { bundledAlone } from './sources/bundled.ts';
export type { BundledWorkflow } from './sources/bundled.ts';
