import type { NodeState, SessionDetail } from '../contract/index.ts';

/** A state that has a colour and an icon. It is always shown together with a word. */
export type Tone = 'done' | 'current' | 'waits' | 'refused' | 'skipped' | 'planned';

/** The state of an activity or a step in a graph or in a plan. */
type ActivityState = NodeState | SessionDetail['history']['plan'][number]['status'];

/** Returns the tone of a state. The tone is also the word that is shown. */
export function toneOf(state: ActivityState): Exclude<Tone, 'waits'> {
  return state === 'ahead' || state === 'depends' ? 'planned' : state;
}

/** The tone of each result of a session: green for a success, red for a failure, grey if it was stopped. */
export const resultTones = { success: 'done', failure: 'refused', stopped: 'skipped' } as const;
