import type { NodeState, Run } from '../contract.ts';
import type { Tone } from '../parts/tone.tsx';

/** What became of a place: of a picture, or of the plan. */
export type Standing = NodeState | Run['story']['plan'][number]['standing'];

/** The tone of a place in a run. */
export function toneOf(standing: Standing): Tone {
  return standing === 'ahead' ? 'planned' : standing;
}

/** The word for it. */
export function wordOf(standing: Standing): string {
  return toneOf(standing);
}
