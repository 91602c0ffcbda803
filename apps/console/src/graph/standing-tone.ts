import type { NodeState, Run } from '../contract.ts';
import type { Tone } from '../parts/tone.tsx';

/** What became of a place: of a picture, or of the plan. */
type Standing = NodeState | Run['story']['plan'][number]['standing'];

/** The tone of a place in a run; its name is also the word for it. */
export function toneOf(standing: Standing): Exclude<Tone, 'waits'> {
  return standing === 'ahead' || standing === 'depends' ? 'planned' : standing;
}
