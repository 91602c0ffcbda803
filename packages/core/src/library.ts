// The texts that a server sends to agents.
export type { ResolvedElement } from './library/operations.ts';
export { joinSections, toToon } from './library/texts.ts';
export { wholeDefinition } from './read-definition.ts';
