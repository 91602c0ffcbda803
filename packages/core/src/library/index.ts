// The texts that a server sends to agents.
export type { ResolvedElement } from './operations.ts';
export { joinSections, toToon } from './texts.ts';
export { wholeDefinition } from '../read-definition.ts';
