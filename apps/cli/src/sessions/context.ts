import { open } from 'node:fs/promises';
import type { Operator } from '@workflowlookup/core/operator';
import type { Host, HostOptions } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import type { StateFlags } from '../commands/options.ts';
import { optionMessages } from '../messages/common.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { withState } from '../open-host.ts';

export interface SessionsContext extends CommandContext {
  readonly operator: Operator;
  readonly state: Pick<Host['state'], 'isMade' | 'place'>;
}

/** Opens the sessions of a state directory, and closes them afterwards. */
export function withOperator(
  context: CommandContext,
  options: StateFlags & Pick<HostOptions, 'gates'>,
  work: (context: SessionsContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withState(context, options, ({ operator, state }) => work({ ...context, operator, state }));
}

/**
 * Returns the full id of a session that is named by the beginning of its id.
 *
 * @throws WorkflowError INVALID_INPUT
 */
export async function sessionOf(
  { operator, state }: Pick<SessionsContext, 'operator' | 'state'>,
  prefix: string,
): Promise<string> {
  // Reading must not create a database.
  if (!state.isMade()) throw new WorkflowError('NOT_FOUND', sessionMessages.none(prefix, state.place));
  return operator.resolve(prefix);
}

/** Yields the ids of all sessions, most recently written first. */
export async function* everySid({ find }: Pick<Operator, 'find'>): AsyncGenerator<string, void> {
  let cursor: string | undefined;
  do {
    const page = await find({}, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    for (const { sid } of page.sessions) yield sid;
    cursor = page.next;
  } while (cursor !== undefined);
}

export async function* linesOfFile(file: string): AsyncGenerator<string, void> {
  const source = await open(file);
  try {
    yield* source.readLines();
  } finally {
    await source.close();
  }
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/**
 * Returns the moment that an age (`30m`, `12h`, `7d`, `4w`) or a date means, in ISO 8601.
 *
 * @throws WorkflowError INVALID_INPUT
 */
export function readAge(text: string, nowMs: number = Date.now()): string {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const ms =
    unit === undefined ? readDate(text) : nowMs - Number(count) * unitMs[unit as keyof typeof unitMs];
  if (!Number.isNaN(ms) && ms > -8.64e15) return new Date(ms).toISOString();
  throw new WorkflowError('INVALID_INPUT', optionMessages.age(text));
}

function readDate(text: string): number {
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
}
