import type { WorkflowTest } from '@workflowlookup/schema';
import type { Passage } from '../exploration/terrain.ts';
import type { Runnable } from '../session-engine/runnable.ts';
import type { SessionCommand } from '../session/command.ts';
import { decide } from '../session/decide.ts';
import { begin, evolve } from '../session/evolve.ts';
import { nextCalls } from '../session/next-calls.ts';
import { openCheckpoints } from '../session/open-checkpoints.ts';
import { consider } from '../session/prospect.ts';
import type { OpenGate, SessionState } from '../session/session-state.ts';
import { startSession } from '../session/start-session.ts';
import { doWork } from './do-work.ts';
import type { RefusedOutput, Rehearsal } from './rehearsal.ts';
import type { Script } from './script.ts';
import { createScript } from './script.ts';

/** A walk that takes more steps than this goes round for ever. */
const maxSteps = 2000;

/** When every rehearsal begins and ends: nothing in it depends on the time. */
const at = '2000-01-01T00:00:00.000Z';

/** A walk under way. */
interface Walk {
  readonly runnable: Runnable;
  readonly test: WorkflowTest;
  readonly script: Script;
  readonly onPassage: (passage: Passage) => void;
  readonly path: string[];
  readonly refused: RefusedOutput[];
  readonly warnings: string[];
}

/** What a step of a walk came to: the next state, or why there is none. */
type Outcome = { readonly state: SessionState } | { readonly stop: string };

/** Walks as a test says, in a strict session, until the workflow is completed or the test has no more to give. */
export async function walkScript(
  runnable: Runnable,
  test: WorkflowTest,
  onPassage: (passage: Passage) => void,
): Promise<Rehearsal> {
  const found = { path: [], refused: [], warnings: [] };
  const walk: Walk = { runnable, test, script: createScript(test), onPassage, ...found };
  const event = startSession(runnable.navigator, { enforcement: 'strict' });
  let state = begin('rehearsal', { at, event });
  for (let count = 0; count < maxSteps; count += 1) {
    const { variables, status } = state;
    if (status === 'completed') return { ...found, variables, outcome: 'completed' };
    const outcome = await goOn(walk, state);
    if ('stop' in outcome) return { ...found, variables, outcome: 'unfinished', stop: outcome.stop };
    state = outcome.state;
  }
  const stop = `It takes more than ${maxSteps} steps.`;
  return { ...found, variables: state.variables, outcome: 'unfinished', stop };
}

async function goOn(walk: Walk, state: SessionState): Promise<Outcome> {
  const { runnable, script, test } = walk;
  if (state.gate !== undefined) return answer(walk, state, state.gate);
  const gate = gateToYield(walk, state);
  if (gate !== undefined) return carryOut(walk, state, { kind: 'yield', checkpointId: gate });
  if (state.current === undefined)
    return carryOut(walk, state, { kind: 'move', variables: test.context ?? {} });
  const variables = script.sets(state.current);
  const work = await doWork(runnable, state, { script, variables });
  walk.refused.push(...work.refused);
  return 'stop' in work
    ? { stop: work.stop }
    : carryOut(walk, state, { kind: 'move', variables, manifest: work.manifest });
}

function answer(walk: Walk, state: SessionState, { checkpoint, activity }: OpenGate): Outcome {
  const option = walk.script.answer(activity, checkpoint);
  return option === undefined
    ? { stop: `Checkpoint '${checkpoint}' of '${activity}' waits, and the test has no answer to it.` }
    : carryOut(walk, state, { kind: 'answer', mode: { kind: 'option', option }, by: 'human' });
}

/** The first checkpoint that has to be yielded, else one that need not be and that the test has an answer to. */
function gateToYield({ runnable: { navigator }, script }: Walk, state: SessionState): string | undefined {
  const { work } = consider(state, { kind: 'move' }, navigator);
  if (work === undefined) return undefined;
  const [due] = openCheckpoints(state, work.place, work.account);
  if (due !== undefined) return due.id;
  const offered = nextCalls(state, navigator, 'declared').flatMap((call) =>
    call.kind === 'yield' ? call.checkpoint : [],
  );
  return offered.find((id) => script.hasAnswer(work.place.id, id));
}

function carryOut(walk: Walk, before: SessionState, command: SessionCommand): Outcome {
  const { navigator } = walk.runnable;
  const decision = decide(before, command, {
    navigator,
    nowMs: Date.parse(at),
    minResponseMs: 0,
    gates: 'declared',
    // Outputs are judged before they are handed in.
    judge: () => undefined,
  });
  if (!decision.ok) return { stop: decision.refusal.message };
  const { event, warnings } = decision;
  const state = evolve(before, { at, event });
  if (event.type === 'activity-entered') walk.path.push(event.activity);
  walk.warnings.push(...warnings);
  walk.onPassage({ before, command, event, after: state });
  return { state };
}
