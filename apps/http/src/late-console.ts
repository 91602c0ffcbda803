import type { KeyRing } from '@workflowlookup/core';
import { newSignInSecret } from '@workflowlookup/host';
import type { Console, ConsoleParts } from './console/console-parts.ts';

/** A console that is loaded when somebody opens it. */
export interface LateConsole extends Console {
  /**
   * Where it is, from the root of the server; `undefined` without a console. Without credentials it signs in
   * the user of this machine, once and soon: browsers don't send the part after `#`, so an agent that uses the
   * server does not have it. @throws STORAGE where the keys can't be used
   */
  link(): string | undefined;
}

/** Makes one; where it is not wanted, it answers that there is nothing. */
export function createLateConsole(parts: ConsoleParts, keys: () => KeyRing): LateConsole {
  const isWanted = parts.network.console;
  let made: Promise<Console> | undefined;

  async function load(): Promise<Console> {
    const { createConsole } = await import('./console/create-console.ts');
    return createConsole(parts);
  }

  return {
    link() {
      if (!isWanted) return undefined;
      const isOpen = parts.verifiers.length === 0;
      return `/console/${isOpen ? `#sign-in=${newSignInSecret(keys(), Date.now())}` : ''}`;
    },
    async fetch(request) {
      if (!isWanted) return Response.json({ error: 'not_found' }, { status: 404 });
      made ??= load();
      return (await made).fetch(request);
    },
    drain: () => void made?.then((console) => console.drain()),
  };
}
