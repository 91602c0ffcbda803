import type { Json } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import type { Verdict } from '@workflowlookup/validation';
import { keptDefinition } from '../session-engine/definitions.ts';
import { judgeOutputs } from '../session-engine/judge-outputs.ts';
import { eventOf, stateAt, stateOf } from '../session-engine/load-state.ts';
import type { Runnable } from '../session-engine/runnable.ts';
import { evolve } from '../session/evolve.ts';
import { itemOf, positionOf } from '../session/manifest-position.ts';
import { consider } from '../session/prospect.ts';
import type { ManifestEntry, SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import type { Contents, HandedIn } from './operator.ts';
import { loadSession } from './load-run.ts';

const maxOutputs = 500;

/** What a session works with and what was handed in, each output judged once more in the state it was judged in then. */
export async function readContents(store: SessionStore, sid: string): Promise<Contents> {
  const state = stateOf(await loadSession(store, sid));
  const runnable = await keptDefinition(store, state.digest);
  return {
    workflow: runnable.workflow,
    variables: state.variables,
    outputs: await handedIn(store, state, runnable),
  };
}

async function handedIn(
  store: SessionStore,
  { sid, revision }: SessionState,
  runnable: Runnable,
): Promise<readonly HandedIn[]> {
  const events = await store.events(sid, { after: 1, limit: revision });
  const found: HandedIn[] = [];
  let before = await stateAt(store, sid, 1);
  for (const kept of events) {
    const event = eventOf(kept);
    const { at } = kept;
    for (const one of await judged(store, before, { event, runnable }))
      found.push({ revision: kept.revision, at, ...one });
    before = evolve(before, { at, event });
  }
  return found.slice(-maxOutputs);
}

/** The outputs of one event with what the criteria of their steps say. */
async function judged(
  store: SessionStore,
  before: SessionState,
  { event, runnable }: { readonly event: SessionEvent; readonly runnable: Runnable },
): Promise<readonly Omit<HandedIn, 'revision' | 'at'>[]> {
  const { current: activity } = before;
  if (!('manifest' in event) || event.manifest.length === 0 || activity === undefined) return [];
  const manifest = await Promise.all(event.manifest.map((entry) => whole(store, entry)));
  const { work } = consider(
    before,
    { kind: 'move', manifest, variables: event.variables },
    runnable.navigator,
  );
  const judge = await judgeOutputs(runnable, before);
  return manifest.map(({ step_id: step, output }) => {
    const position = work && positionOf(work.place, step);
    const verdict: Verdict | undefined =
      work === undefined || position === undefined
        ? undefined
        : judge(position.step, output, {
            ...work.place.context,
            ...work.account.values,
            ...itemOf(position),
          });
    return { activity, step, output, ...(verdict === undefined ? {} : { verdict }) };
  });
}

/** An entry with its output in place of the digest by which a journal names a long one. */
async function whole(store: SessionStore, { step_id, output }: ManifestEntry): Promise<ManifestEntry> {
  const kept: Json = output;
  if (typeof kept === 'string') return { step_id, output };
  const { blob } = kept as { readonly blob: string };
  const value = await store.getBlob(blob);
  return { step_id, output: typeof value === 'string' ? value : '' };
}
