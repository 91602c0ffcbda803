import type { SessionStore } from '@workflowlookup/storage';
import type { Node } from '../compile-workflow.ts';
import { parseInstanceId } from '../instance-id.ts';
import { keptDefinition } from '../session-engine/definitions.ts';
import { stateOf } from '../session-engine/load-state.ts';
import type { Runnable } from '../session-engine/runnable.ts';
import type { Glance } from './operator.ts';

/** A session in a line. */
export async function glanceAt(store: SessionStore, sid: string): Promise<Glance | undefined> {
  const loaded = await store.load(sid);
  if (loaded === undefined) return undefined;
  const { outcome, current, gate, completed } = stateOf(loaded);
  const runnable = await keptDefinition(store, loaded.session);
  const left = new Set(completed.map((id) => parseInstanceId(id)?.stepId ?? id));
  return {
    session: loaded.session,
    title: runnable.navigator.workflow.title,
    ...(outcome === undefined ? {} : { outcome }),
    ...(current === undefined ? {} : { current }),
    ...(gate === undefined ? {} : { checkpoint: gate.checkpoint }),
    progress: { done: left.size, of: planned(runnable) },
  };
}

function planned(runnable: Runnable): number {
  return runnable.kind === 'activities'
    ? runnable.workflow.activities.length
    : countSteps(runnable.compiled.nodes);
}

function countSteps(nodes: readonly Node[]): number {
  return nodes.reduce((sum, node) => sum + (node.kind === 'step' ? 1 : countSteps(node.body)), 0);
}
