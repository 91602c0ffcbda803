import type { Landscape } from './survey.ts';

/** States that lead to each other and to nothing else, so that no session leaves them. */
export type Trap = readonly number[];

/** Every trap of a landscape; a lone state that leads nowhere is one too. */
export function trapsIn({ stands, next }: Landscape): readonly Trap[] {
  const before = reversed(next);
  const ends = stands.flatMap(({ state }, number) => (state.status === 'completed' ? [number] : []));
  const safe = closure(ends, before);
  const explained = new Set(safe);
  const traps: Trap[] = [];
  for (const number of stands.keys()) {
    if (explained.has(number)) continue;
    const trap = trapBehind(number, next, before);
    traps.push(trap);
    for (const led of closure(trap, before)) explained.add(led);
  }
  return traps;
}

/** Goes on to states from which there is no way back, until there are none. */
function trapBehind(start: number, next: Landscape['next'], before: readonly (readonly number[])[]): Trap {
  let number = start;
  for (;;) {
    const ahead = closure([number], next);
    const behind = closure([number], before);
    const further = [...ahead].find((other) => !behind.has(other));
    if (further === undefined) return [...ahead];
    number = further;
  }
}

function reversed(next: Landscape['next']): readonly (readonly number[])[] {
  const before: number[][] = next.map(() => []);
  for (const [from, all] of next.entries()) for (const to of all) before[to]?.push(from);
  return before;
}

/** The states that can be come to along the ways, those included where it begins. */
function closure(from: Iterable<number>, ways: readonly (readonly number[])[]): ReadonlySet<number> {
  const reached = new Set(from);
  for (const number of reached) for (const to of ways[number] ?? []) reached.add(to);
  return reached;
}
