import { lookupTools, sessionTools, tools } from './table.ts';
import type { Tool } from './tool.ts';

const sets = { lookup: lookupTools, sessions: sessionTools, all: tools } as const;

/** The name of a set of tools. */
export type ToolSetName = keyof typeof sets;

/** The names of the sets. */
export const toolSetNames = Object.keys(sets) as readonly ToolSetName[];

/** The tools of a set, in the order of the table. */
export function toolSet(name: ToolSetName): readonly Tool[] {
  return sets[name];
}
