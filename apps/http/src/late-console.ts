import { randomBytes } from 'node:crypto';
import type { Console, ConsoleParts } from './console/console-parts.ts';
import type { NetworkOptions } from './network-options.ts';

/** A console that is loaded when somebody opens it. */
export interface LateConsole extends Console {
  /** Where it is, from the root of the server; `undefined` where there is none. */
  readonly path: string | undefined;
}

/**
 * What signs the user of this machine in where nobody needs a credential. It is printed where the server was started, and
 * never sent by a browser unless as the body of a sign-in: an agent that speaks to the server does not have it.
 */
function consoleSecret({ keys, oauth }: NetworkOptions): string | undefined {
  return keys || oauth !== undefined ? undefined : randomBytes(32).toString('base64url');
}

/** Makes one; where it is not wanted, it answers that there is nothing. */
export function createLateConsole(parts: Omit<ConsoleParts, 'secret'>): LateConsole {
  const isWanted = parts.network.console;
  const secret = consoleSecret(parts.network);
  let made: Promise<Console> | undefined;

  async function load(): Promise<Console> {
    const { createConsole } = await import('./console/create-console.ts');
    return createConsole({ ...parts, secret });
  }

  const fragment = secret === undefined ? '' : `#sign-in=${secret}`;
  return {
    path: isWanted ? `/console/${fragment}` : undefined,
    async fetch(request) {
      if (!isWanted) return Response.json({ error: 'not_found' }, { status: 404 });
      made ??= load();
      return (await made).fetch(request);
    },
    drain: () => void made?.then((console) => console.drain()),
  };
}
