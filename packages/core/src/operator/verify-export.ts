import { judgeExport } from '@workflowlookup/storage/journal';
import { nowOf } from '../session-engine/clock.ts';
import type { OperatorParts } from './load-run.ts';
import { readSoundExport } from './import-session.ts';
import type { SessionProblem, Verification } from './verify-session.ts';

/** What was found of an exported session. */
export interface ExportVerification {
  readonly sid: string;
  readonly events: number;
  /** Whether a server with these keys exported it. */
  readonly isAuthenticated: boolean;
  /** Present where the session was an imported one when it was exported. */
  readonly imported?: Verification['imported'];
  readonly problems: readonly SessionProblem[];
}

/** How an exported session is verified. */
export interface ExportCheck {
  /** Whether its seal is checked with the keys of this server, which opens the database; default true. */
  readonly seals?: boolean;
}

/**
 * Checks an exported session as an import does, and keeps nothing of it.
 *
 * @throws WorkflowError VALIDATION where an import would refuse it
 */
export async function verifyExport(
  parts: OperatorParts,
  lines: AsyncIterable<string> | Iterable<string>,
  { seals = true }: ExportCheck = {},
): Promise<ExportVerification> {
  const exported = await readSoundExport(parts, lines, nowOf(parts));
  const { session, events } = exported;
  const { sid, imported } = session;
  const verdict = seals ? judgeExport((await parts.store()).seals, exported) : 'unchecked';
  const message = 'The export is not what the server with these keys wrote.';
  return {
    sid,
    events: events.length,
    isAuthenticated: verdict === 'genuine' || verdict === 'wrong',
    ...(imported === undefined ? {} : { imported }),
    problems: verdict === 'wrong' ? [{ code: 'FORGED', sid, message }] : [],
  };
}
