import { lookupTools, sessionTools, tools } from './table.ts';
import type { Tool } from './tool.ts';

/** The names of the sets. */
export const toolSetNames = ['lookup', 'sessions', 'all'] as const;

/** The name of a set of tools. */
export type ToolSetName = (typeof toolSetNames)[number];

const sets: Readonly<Record<ToolSetName, readonly Tool[]>> = {
  lookup: lookupTools,
  sessions: sessionTools,
  all: tools,
};

/** The tools of a set, in the order of the table. */
export function toolSet(name: ToolSetName): readonly Tool[] {
  return sets[name];
}
