import type { Outcomes } from './outcomes.ts';
import { certain } from './outcomes.ts';
import type { Circle, Passage, Spot, Terrain } from './terrain.ts';

/** What was gone through of a workflow. */
export interface Record {
  /** Adds a step from one state to the next; by default all is known of it. */
  readonly add: (passage: Passage, outcomes?: Outcomes) => void;
  readonly reached: ReadonlySet<string>;
  /** How a condition turned out, by its spot. */
  turnsAt(spot: Spot): ReadonlySet<boolean>;
  /** Loops that ended because their condition said so. */
  readonly ended: ReadonlySet<Circle>;
}

const none: ReadonlySet<boolean> = new Set();

/** Starts a record. */
export function createRecord(terrain: Terrain): Record {
  const reached = new Set<string>();
  const turns = new Map<string, Set<boolean>>();
  const ended = new Set<Circle>();
  return {
    reached,
    ended,
    turnsAt: (spot) => turns.get(keyOf(spot)) ?? none,
    add(passage, outcomes = certain) {
      for (const site of terrain.reachedBy(passage, outcomes)) reached.add(site);
      for (const circle of terrain.endedBy(passage)) ended.add(circle);
      for (const { holds, ...spot } of terrain.turnsOf(passage, outcomes)) {
        const known = turns.get(keyOf(spot)) ?? new Set();
        turns.set(keyOf(spot), known.add(holds));
      }
    },
  };
}

function keyOf({ file = '', pointer }: Spot): string {
  return `${file}#${pointer}`;
}
