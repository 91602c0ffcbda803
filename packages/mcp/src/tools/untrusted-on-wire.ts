import { trustCommand } from '@workflowlookup/schema';
import type { UntrustedDefinition } from '@workflowlookup/core';

/** What an agent is told of definitions that nobody trusted: how many there are. Even their ids are text of their authors. */
export function untrustedOnWire(untrusted: readonly UntrustedDefinition[]): object {
  if (untrusted.length === 0) return {};
  return { untrusted: { count: untrusted.length, command: untrusted[0]?.trustWith ?? trustCommand } };
}

/** The same in one sentence. */
export function untrustedInShort(count: number): object {
  if (count === 0) return {};
  const definitions =
    count === 1 ? '1 definition of this project is' : `${count} definitions of this project are`;
  return {
    untrusted: `${definitions} not served: a person has to trust them first, at a terminal: ${trustCommand}`,
  };
}
