export { bundledAlone } from './sources/bundled-catalogue.ts';
export type { BundledWorkflow } from './sources/bundled-catalogue.ts';
