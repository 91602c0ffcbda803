import type { Json } from '@workflowlookup/schema';
import type { JournalEvent, SessionStore } from '@workflowlookup/storage';
import { auditSession, createPauses } from '@workflowlookup/storage/journal';
import { keptDefinition } from '../session-engine/definitions.ts';
import type { JudgeParts } from '../session-engine/execute-command.ts';
import { judgeStep } from '../session-engine/execute-command.ts';
import { eventOf, replay, stateOf } from '../session-engine/open-session.ts';
import type { Runnable } from '../session-engine/definitions.ts';
import { evolve } from '../session/evolve.ts';
import { evaluateMove } from '../session/evaluate-move.ts';
import type { ManifestEntry, SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import type { SessionContents, SubmittedOutput } from './operator.ts';
import { loadSession } from './load-session.ts';
import { withItem } from '../session/loop-iterations.ts';

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
  const outputs = await outputsIn(store, runnable, { sid, events, by });
  return { workflow: runnable.workflow, variables, outputs };
}

async function outputsIn(
  store: SessionStore,
  runnable: Runnable,
  {
    sid,
    events: [first, ...rest],
    by,
  }: { readonly sid: string; readonly events: readonly JournalEvent[]; readonly by: JudgeParts },
): Promise<readonly SubmittedOutput[]> {
  const found: SubmittedOutput[] = [];
  if (first === undefined) return found;
  let before = replay(sid, [first]);
  const pause = createPauses();
  for (const kept of rest) {
    await pause();
    const event = eventOf(kept);
    const { at } = kept;
    for (const one of await judged(store, before, { event, runnable, by }))
      found.push({ revision: kept.revision, at, ...one });
    before = evolve(before, { at, event });
  }
  return found.slice(-maxOutputs);
}

/** Returns the outputs of one event with the verdicts of their steps' criteria. */
async function judged(
  store: SessionStore,
  before: SessionState,
  {
    event,
    runnable,
    by,
  }: { readonly event: SessionEvent; readonly runnable: Runnable; readonly by: JudgeParts },
): Promise<readonly Omit<SubmittedOutput, 'revision' | 'at'>[]> {
  const { current: activity } = before;
  if (!('manifest' in event) || event.manifest.length === 0 || activity === undefined) return [];
  const manifest = await Promise.all(event.manifest.map((entry) => whole(store, entry)));
  const { work } = evaluateMove(
    before,
    { kind: 'move', manifest, variables: event.variables },
    runnable.navigator,
  );
  const outputs: Omit<SubmittedOutput, 'revision' | 'at'>[] = [];
  for (const [at, { step_id: step, output, not_done: notDone }] of manifest.entries()) {
    if (notDone !== undefined) {
      outputs.push({ activity, step, output, notDone });
      continue;
    }
    const instance = work?.account.entries[at];
    const context = work && withItem({ ...work.place.context, ...work.account.values }, instance?.item ?? {});
    const verdict = instance && context && (await judgeStep(instance.step, output, { ...by, context }));
    outputs.push({ activity, step, output, ...(verdict === undefined ? {} : { verdict }) });
  }
  return outputs;
}

/** An entry with its output in place of the digest by which a journal names a long one. */
async function whole(store: SessionStore, entry: ManifestEntry): Promise<ManifestEntry> {
  const { step_id, output } = entry;
  const kept: Json = output;
  if (typeof kept === 'string') return entry;
  const { blob } = kept as { readonly blob: string };
  const value = await store.getBlob(blob);
  return { step_id, output: typeof value === 'string' ? value : '' };
}
