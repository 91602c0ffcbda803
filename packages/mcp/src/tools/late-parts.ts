export { joinSections, markedCheckpoint, toToon, wholeDefinition } from '@workflowlookup/core';
export { WorkflowError } from '@workflowlookup/schema';
export { problemOnWire } from './problem-on-wire.ts';
export { untrustedInShort, untrustedOnWire } from './untrusted-on-wire.ts';
