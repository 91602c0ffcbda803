import { trustCommand } from '@workflowlookup/schema';
import type { UntrustedDefinition } from '@workflowlookup/core';

/** Most definitions that are named; the rest are counted. */
const maxNamed = 20;

/** What an agent is shown of definitions that nobody trusted: ids and sources, and nothing that their authors wrote. */
export function untrustedOnWire(untrusted: readonly UntrustedDefinition[]): object {
  if (untrusted.length === 0) return {};
  const named = untrusted.slice(0, maxNamed);
  return {
    untrusted: {
      count: untrusted.length,
      definitions: named.map(({ id, source, reason }) => ({
        ...(id !== undefined && { id }),
        ...(source !== undefined && { source }),
        reason,
      })),
      command: untrusted[0]?.trustWith ?? trustCommand,
    },
  };
}

/** The same as a count, for answers that have no room for a list. */
export function untrustedInShort(count: number): object {
  if (count === 0) return {};
  const definitions =
    count === 1 ? '1 definition of this project is' : `${count} definitions of this project are`;
  return {
    untrusted: `${definitions} not served: a person has to trust them first, at a terminal: ${trustCommand}`,
  };
}
