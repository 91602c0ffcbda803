import { WorkflowError, canonicalJson, defined, digestOf } from '@workflowlookup/schema';
import type { ImportMark, SessionRow, SessionStore } from '@workflowlookup/storage';
import type { ExportedSession } from '@workflowlookup/storage/journal';
import { judgeExport, keepExported, readExport } from '@workflowlookup/storage/journal';
import type { Runnable } from '../session-engine/open-session.ts';
import { isDefinitionOf, keptDefinition, stateOf } from '../session-engine/open-session.ts';
import { nowOf } from '../session-engine/trace.ts';
import { isSessionEvent } from '../session/session-event.ts';
import { statusOf } from '../session/status.ts';
import { stepIdOf } from '../navigation/next-step.ts';
import { isSessionId } from '../session-engine/session-tokens.ts';
import { readContents, loadSession } from './load-session.ts';
import { summarizeSession } from './find-sessions.ts';
import type { OperatorParts } from './load-session.ts';
import { readSessionHistory } from './session-history.ts';
import { readTask } from './task.ts';
import type { Anchors } from './seal-session.ts';
import type { SessionProblem, Verification } from './verify-session.ts';
import { anchorProblems, blobsIn, missingAgents, rowDifferences } from './verify-session.ts';
import { importProblems, operatorMessages, sealProblems } from '../messages/operator.ts';

/** The default owner of sessions: the one user of this machine. */
const localPrincipal = 'local';

/** How far the clock of another machine may be ahead, in milliseconds. */
const clockDriftMs = 5 * 60_000;

/**
 * Stores an exported session with a mark that it was imported. It belongs to the importer. What a server with these
 * keys exported can be continued; anything else can only be read.
 *
 * @throws WorkflowError INVALID_FILE if the lines are broken, were changed after they were sealed, or no session can have
 *   come to them; CONFLICT if the session is there already
 */
export async function importSession(
  parts: OperatorParts,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<SessionRow> {
  const nowMs = nowOf(parts);
  const exported = await readSoundExport(parts, lines, nowMs);
  const store = await parts.store();
  const { session, exported: by } = exported;
  const verdict = judgeExport(store.seals, exported);
  // Only an export that was changed has a wrong seal. One without a seal, or by another key, can be read.
  if (verdict === 'wrong') throw refusal(importProblems.changed());
  const mark: ImportMark = {
    at: new Date(nowMs).toISOString(),
    by: parts.person,
    isAuthentic:
      verdict === 'genuine' && session.unauthentic === undefined && session.imported?.isAuthentic !== false,
    revision: session.revision,
    principal: session.principal,
    ...defined({ exportedAt: by?.at, exportedBy: by?.by }),
  };
  const kept = await keepExported(store, exported, {
    principal: parts.principal ?? localPrincipal,
    imported: mark,
  });
  const { sid, revision, hash, status } = kept;
  parts.onHead?.({ sid, revision, hash, at: mark.at, status });
  return kept;
}

/**
 * Reads an export, and refuses a state that no session can reach, because later readers would fail on it.
 *
 * @throws WorkflowError INVALID_FILE with the line or the revision in its data
 */
async function readSoundExport(
  parts: OperatorParts,
  lines: AsyncIterable<string> | Iterable<string>,
  nowMs: number,
): Promise<ExportedSession> {
  const exported = await readExport(lines);
  const { session, definition, agents, events, calls, blobs } = exported;
  if (!isDefinitionOf(session.digest, definition))
    throw refusal(importProblems.otherDefinition(), { line: 1 });
  if (!isSessionId(session.sid)) throw refusal(importProblems.wrongId());
  checkEvents(events, nowMs);
  const named = new Set(events.flatMap(({ data }) => blobsIn(data)));
  if (named.size !== blobs.length) throw refusal(importProblems.otherOutputs());
  if (!calls.every((call) => isCallOf(session.sid, call))) throw refusal(importProblems.wrongCall());
  if (missingAgents(agents, calls).length > 0) throw refusal(importProblems.unknownAgent());
  try {
    await tryOut(parts, exported);
  } catch (error) {
    if (error instanceof WorkflowError && error.code === 'INVALID_FILE') throw error;
    throw refusal(importProblems.notReplayable());
  }
  return exported;
}

function checkEvents(events: ExportedSession['events'], nowMs: number): void {
  for (const [index, { type, data, at, revision }] of events.entries()) {
    if (!isSessionEvent(type, data) || (type === 'session-started') !== (index === 0))
      throw refusal(importProblems.wrongFields(revision, type.slice(0, 40)), { revision });
    const before = events[index - 1]?.at ?? at;
    const isPossible = Date.parse(at) <= nowMs + clockDriftMs && before <= at;
    if (!isPossible) throw refusal(importProblems.wrongTime(revision), { revision });
  }
}

/** Runs every read that is later done with a session once, and throws the first error. */
async function tryOut(parts: OperatorParts, exported: ExportedSession): Promise<void> {
  const { session, events } = exported;
  const store = storeOfExport(exported);
  const state = stateOf({ session, events });
  const [differs] = rowDifferences(session, events, state);
  if (differs !== undefined) throw refusal(importProblems.wrongField(differs[0]));
  const loaded = await loadSession(store, session.sid);
  const runnable = await keptDefinition(store, loaded.session);
  const missing = Object.keys(state.visits).find((id) => !isActivityOf(runnable, id));
  if (missing !== undefined) throw refusal(importProblems.unknownActivity());
  statusOf(state, runnable.navigator, { children: [], gates: parts.policy.gates });
  const copy: OperatorParts = { ...parts, store: () => Promise.resolve(store) };
  await readTask(copy, session.sid);
  await summarizeSession(store, session.sid);
  await readContents(store, session.sid, {});
  canonicalJson(await readSessionHistory(copy, session.sid));
}

function isActivityOf(runnable: Runnable, id: string): boolean {
  return runnable.kind === 'activities'
    ? runnable.workflow.activities.some((activity) => activity.id === id)
    : runnable.compiled.positions.has(stepIdOf(id));
}

/**
 * Returns a store with the content of an export, as the operator reads it. The content is unverified, so it is not
 * cached.
 */
function storeOfExport(exported: ExportedSession): SessionStore {
  const { definition, agents, events, calls, blobs } = exported;
  const session: SessionRow = { ...exported.session, unauthentic: 'unsealed' };
  const values = new Map(blobs.map((value) => [digestOf(value), value]));
  const found: Pick<
    SessionStore,
    'agents' | 'calls' | 'events' | 'find' | 'getBlob' | 'getDefinition' | 'load'
  > = {
    load: async () => ({ session, events }),
    events: async (_sid, { after = 0, limit = Infinity } = {}) => events.slice(after, after + limit),
    find: async () => ({ sessions: [] }),
    calls: async () => calls.map((call, index) => ({ n: index + 1, call })),
    agents: async () => agents,
    getDefinition: async () => definition,
    getBlob: async (digest) => values.get(digest),
  };
  return found as SessionStore;
}

const callTexts = ['spanId', 'name', 'ts', 'wf', 'act', 'aid'] as const;

function isCallOf(sid: string, call: ExportedSession['calls'][number]): boolean {
  const { traceId, s, ms, rev, err, vw, read = 0 } = call;
  return (
    traceId === sid &&
    callTexts.every((field) => typeof call[field] === 'string') &&
    (s === 'ok' || s === 'error') &&
    typeof ms === 'number' &&
    typeof rev === 'number' &&
    typeof read === 'number' &&
    read >= 0 &&
    (err === undefined || typeof err === 'string') &&
    (vw === undefined || (Array.isArray(vw) && vw.every((one) => typeof one === 'string')))
  );
}

function refusal(reason: string, data: Readonly<Record<string, number>> = {}): WorkflowError {
  return new WorkflowError('INVALID_FILE', operatorMessages.notImported(reason), { data });
}

/** The result of verifying an exported session. */
export interface ExportVerification {
  readonly sid: string;
  readonly events: number;
  /** Whether a server with these keys exported it. */
  readonly isAuthenticated: boolean;
  /** Present if the session was an imported one when it was exported. */
  readonly imported?: Verification['imported'];
  readonly problems: readonly SessionProblem[];
}

/** How an exported session is verified. */
export interface ExportCheck {
  /** Whether to check the seal with the keys of this server, which opens the database. Default true. */
  readonly seals?: boolean;
  /** Events that the session must have, as for `verify`. */
  readonly anchors?: Anchors;
}

/**
 * Checks an exported session as an import does, without storing it.
 *
 * @throws WorkflowError INVALID_FILE if an import would refuse it
 */
export async function verifyExport(
  parts: OperatorParts,
  lines: AsyncIterable<string> | Iterable<string>,
  { seals = true, anchors }: ExportCheck = {},
): Promise<ExportVerification> {
  const exported = await readSoundExport(parts, lines, nowOf(parts));
  const { session, events } = exported;
  const { sid, imported } = session;
  const verdict = seals ? judgeExport((await parts.store()).seals, exported) : 'unchecked';
  const message = sealProblems.forgedExport();
  const problems: SessionProblem[] = verdict === 'wrong' ? [{ code: 'FORGED', sid, message }] : [];
  if (anchors !== undefined) problems.push(...anchorProblems(session, events, anchors));
  return {
    sid,
    events: events.length,
    isAuthenticated: verdict === 'genuine' || verdict === 'wrong',
    ...defined({ imported }),
    problems,
  };
}
