export { bundledAlone } from './bundled/bundled-alone.ts';
export type { BundledWorkflow } from './bundled/bundled-catalogue.ts';
