import { setImmediate as nextTurn } from 'node:timers/promises';

/** Waits until everything else that has come in is looked at, and until all that waited before has had a turn of its own. */
export type Turns = () => Promise<void>;

/** Makes the turns of work that is split, so that others are served in between. */
export function createTurns(): Turns {
  let last = Promise.resolve();
  return () => (last = last.then(() => nextTurn()));
}
