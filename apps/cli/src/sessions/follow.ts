import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedEvent } from '@workflowlookup/core/operator';
import type { SessionEvent } from '@workflowlookup/core/sessions';
import type { ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import { jsonText, momentText, plainLine } from '../terminal/plain-text.ts';
import type { CommandContext } from './context.ts';
import { sessionOf } from './context.ts';
import { answerText, answererText } from './question-text.ts';

export interface FollowOptions {
  /** Milliseconds between two reads. */
  readonly every: number;
}

/** Prints the events of a session, from its start, until it completes or the user interrupts. */
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

export function eventText({ revision, at, event }: RecordedEvent): string {
  return `${momentText(at)}  ${String(revision).padStart(3)}  ${describe(event)}`;
}

function describe(event: SessionEvent): string {
  switch (event.type) {
    case 'session-started':
      return `started on ${plainLine(event.workflowId)} ${plainLine(event.version)}`;
    case 'activity-entered':
      return `entered ${plainLine(event.activity)}${stepsText(event)}${warningsText(event)}`;
    case 'checkpoint-yielded':
      return `stopped at checkpoint ${plainLine(event.checkpoint)}`;
    case 'checkpoint-answered': {
      const note = event.note === undefined ? '' : `: ${plainLine(event.note)}`;
      return `checkpoint ${plainLine(event.checkpoint)} answered ${answerText(event.answer)} by ${answererText(event)}${note}`;
    }
    case 'session-completed':
      return event.outcome === undefined
        ? `completed${stepsText(event)}${warningsText(event)}`
        : `abandoned${event.person === undefined ? '' : ` by ${plainLine(event.person)}`}`;
  }
}

interface Moved {
  readonly from?: string;
  readonly manifest: readonly { readonly step_id: string }[];
  readonly warnings: readonly string[];
}

function stepsText({ from, manifest }: Moved): string {
  if (from === undefined) return '';
  const steps = manifest.map(({ step_id: id }) => plainLine(id)).join(', ');
  return ` after ${plainLine(from)}${steps === '' ? '' : ` (${steps})`}`;
}

function warningsText({ warnings }: Moved): string {
  return warnings.map((warning) => `\n      warning: ${plainLine(warning)}`).join('');
}
