import type { Json } from '@workflowlookup/schema';
import { WorkflowError, defined } from '@workflowlookup/schema';
import type { JournalEvent, LoadedSession, SessionStore } from '@workflowlookup/storage';
import { auditSession, createPauses } from '@workflowlookup/storage/journal';
import type { CountedAct } from '../insights/insights.ts';
import { messages } from '../messages/sessions.ts';
import type { Runnable, RunnableSession } from '../session-engine/open-session.ts';
import { keptDefinition, nobody, stateOf, eventOf, replay } from '../session-engine/open-session.ts';
import type { JudgeParts } from '../session-engine/write-calls.ts';
import { judgeStep } from '../session-engine/write-calls.ts';
import type { SessionParts } from '../session-engine/sessions.ts';
import { evaluateMove } from '../session/evaluate-move.ts';
import { evolve } from '../session/evolve.ts';
import { withItem } from '../session/outputs/loop-iterations.ts';
import type { AnswerOrigin, ManifestEntry } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import type { SessionContents, SubmittedOutput } from './create-operator.ts';

/** The parts that an operator is made from. */
export interface OperatorParts extends Pick<
  SessionParts,
  'policy' | 'now' | 'random' | 'onWrite' | 'onHead' | 'jobs' | 'evidence' | 'statements'
> {
  /** Opens the database; called again it gives the same. */
  store(): Promise<SessionStore>;
  /** The name of whoever acts. */
  readonly person: string;
  /** The principal whose sessions are visible; if absent, all sessions are. */
  readonly principal?: string;
  /** Where the person acts; default `library`. */
  readonly channel?: AnswerOrigin['channel'];
  /**
   * The longest time, in milliseconds, to wait until titles, outcomes and figures of sessions that changed are derived
   * again. The rest is derived in the background. By default all of it is waited for.
   */
  readonly indexWaitMs?: number;
  /** Returns what the hooks of agents' clients did, as far as it is known here. */
  hookActs?(): readonly CountedAct[];
  /** The id of the credential they signed in with. A credential that worked on a session can't answer as a person. */
  readonly credential?: string;
}

/** Loads a session for a person in its current state, with the definition it was started on. */
export async function loadRunnableSession(parts: OperatorParts, sid: string): Promise<RunnableSession> {
  const store = await parts.store();
  const loaded = await loadSession(store, sid);
  const state = stateOf(loaded);
  return {
    vault: { store },
    state,
    session: loaded.session,
    runnable: await keptDefinition(store, loaded.session),
    agent: { number: nobody, id: `human:${parts.person}` },
    seen: { revision: state.revision },
  };
}

/**
 * @throws WorkflowError NOT_FOUND if there is no such session
 */
export async function loadSession(store: SessionStore, sid: string): Promise<LoadedSession> {
  const loaded = await store.load(sid);
  if (loaded === undefined) throw new WorkflowError('NOT_FOUND', messages.noSession(sid));
  return loaded;
}

const maxOutputs = 500;

/**
 * Returns the variables and outputs of a session, each output judged again with the variables it was first judged with.
 * For a broken journal it returns the content before the break.
 */
export async function readContents(
  store: SessionStore,
  sid: string,
  by: JudgeParts,
): Promise<SessionContents> {
  const loaded = await loadSession(store, sid);
  const { variables } = stateOf(loaded);
  const runnable = await keptDefinition(store, loaded.session);
  const { events } = await auditSession(store, loaded.session);
  const outputs: SubmittedOutput[] = [];
  let before: SessionState | undefined;
  const pause = createPauses();
  for (const kept of events) {
    await pause();
    if (before === undefined) before = replay(sid, [kept]);
    else {
      outputs.push(...(await judged(store, before, kept, { runnable, by })));
      before = evolve(before, { at: kept.at, event: eventOf(kept) });
    }
  }
  return { workflow: runnable.workflow, variables, outputs: outputs.slice(-maxOutputs) };
}

/** Returns the outputs of one event with the verdicts of their steps' criteria. */
async function judged(
  store: SessionStore,
  before: SessionState,
  kept: JournalEvent,
  { runnable, by }: { readonly runnable: Runnable; readonly by: JudgeParts },
): Promise<readonly SubmittedOutput[]> {
  const { revision, at } = kept;
  const event = eventOf(kept);
  const { current: activity } = before;
  if (!('manifest' in event) || event.manifest.length === 0 || activity === undefined) return [];
  const manifest = await Promise.all(event.manifest.map((entry) => whole(store, entry)));
  const move = { kind: 'move', manifest, variables: event.variables } as const;
  const { work } = evaluateMove(before, move, runnable.navigator);
  const outputs: SubmittedOutput[] = [];
  for (const [nth, { step_id: step, output, not_done: notDone }] of manifest.entries()) {
    const instance = notDone === undefined ? work?.account.entries[nth] : undefined;
    const context = work && withItem({ ...work.place.context, ...work.account.values }, instance?.item ?? {});
    const verdict = instance && context && (await judgeStep(instance.step, output, { ...by, context }));
    outputs.push({ revision, at, activity, step, output, ...defined({ notDone, verdict }) });
  }
  return outputs;
}

/** An entry with its output in place of the digest by which a journal names a long one. */
async function whole(store: SessionStore, entry: ManifestEntry): Promise<ManifestEntry> {
  const kept: Json = entry.output;
  if (typeof kept === 'string') return entry;
  const { blob } = kept as { readonly blob: string };
  const value = await store.getBlob(blob);
  return { ...entry, output: typeof value === 'string' ? value : '' };
}
