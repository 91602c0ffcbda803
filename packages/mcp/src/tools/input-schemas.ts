import type { JsonObject } from '@workflowlookup/schema';
import { tools } from './table.ts';

/** The input schema of every tool by its name; validators are generated from it before each build and test. */
export const inputSchemas: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  tools.map(({ name, inputSchema }) => [name, inputSchema]),
);
