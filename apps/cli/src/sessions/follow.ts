import { setTimeout as pause } from 'node:timers/promises';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { jsonText } from '../plain-text.ts';
import { eventText } from './event-text.ts';
import { sessionOf } from './session-of.ts';
import type { CommandContext } from './with-operator.ts';

/** What `follow` takes. */
export interface FollowOptions {
  /** Milliseconds between two looks. */
  readonly every: number;
}

/** Prints the events of a session, those of the past first, until it is completed or the user has enough. */
export async function follow(
  context: CommandContext,
  session: string,
  { every }: FollowOptions,
): Promise<ExitCode> {
  const { operator, terminal, asJson } = context;
  const sid = await sessionOf(context, session);
  const interrupted = new AbortController();
  const stop = (): void => interrupted.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  let after = 0;
  while (!interrupted.signal.aborted) {
    for (const recorded of await operator.events(sid, { after })) {
      if (asJson) await terminal.printExact(`${jsonText(recorded)}\n`);
      else await terminal.print(`${eventText(recorded)}\n`);
      after = recorded.revision;
      if (recorded.event.type === 'session-completed') stop();
    }
    await pause(every, undefined, { signal: interrupted.signal }).catch(() => undefined);
  }
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return exitCodes.ok;
}
