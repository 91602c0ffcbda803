import { open } from 'node:fs/promises';
import type { Operator, SessionQuery, SessionRow } from '@workflowlookup/core/operator';
import type { Host } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import type { SessionOptions } from '../commands/sessions.ts';
import { messages } from '../messages.ts';
import { withState } from '../open-host.ts';
import type { Output } from '../terminal/terminal.ts';
import { createOutput } from '../terminal/terminal.ts';

export interface CommandContext extends Output {
  readonly operator: Operator;
  readonly state: Pick<Host['state'], 'isMade' | 'place'>;
}

/** Opens the sessions of a state directory, and closes them afterwards. */
export async function withOperator(
  line: CommandLine,
  options: SessionOptions,
  work: (context: CommandContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  const output = createOutput(line.terminal, options.json ?? false);
  return withState(line, options, ({ operator, state }) => work({ ...output, operator, state }));
}

/**
 * Returns the full id of a session that is named by the beginning of its id.
 *
 * @throws WorkflowError INVALID_INPUT
 */
export async function sessionOf(
  { operator, state }: Pick<CommandContext, 'operator' | 'state'>,
  prefix: string,
): Promise<string> {
  // Reading must not create a database.
  if (!state.isMade()) throw new WorkflowError('NOT_FOUND', messages.sessions.none(prefix, state.place));
  return operator.resolve(prefix);
}

/** Yields the sessions that match a query, most recently written first. */
async function* everySession(
  { find }: Pick<Operator, 'find'>,
  query: SessionQuery = {},
): AsyncGenerator<SessionRow, void> {
  let cursor: string | undefined;
  do {
    const page = await find(query, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.sessions;
    cursor = page.next;
  } while (cursor !== undefined);
}

/** Yields the ids of all sessions, most recently written first. */
export async function* everySid(operator: Pick<Operator, 'find'>): AsyncGenerator<string, void> {
  for await (const { sid } of everySession(operator)) yield sid;
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
  throw new WorkflowError('INVALID_INPUT', messages.options.age(text));
}

function readDate(text: string): number {
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
}
