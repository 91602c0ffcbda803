import stepWorkflow from '../schemas/step-workflow.schema.json' with { type: 'json' };
import type { JsonObject } from './json.ts';

/** The published JSON Schemas (2020-12) by what they describe; the files are `@workflowlookup/schema/schemas/<name>.schema.json`. */
export const jsonSchemas: { readonly 'step-workflow': JsonObject } = { 'step-workflow': stepWorkflow };
