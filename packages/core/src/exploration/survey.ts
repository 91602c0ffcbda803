import { lookUp } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import { begin } from '../session/evolve.ts';
import type { Navigator } from '../session/navigator.ts';
import { startSession } from '../session/start-session.ts';
import { withModeDefaults } from '../session/variables.ts';
import type { Domains } from './domains.ts';
import { answeredGates } from './gates-in-turn.ts';
import { rootOf } from '../root-of.ts';
import { passagesFrom, timeless } from './passages.ts';
import type { Setters } from './setters.ts';
import type { Horizon, Passage, Stand, Terrain } from './terrain.ts';

/** Every state that was found, and which lead to which. */
export interface Landscape {
  readonly stands: readonly Stand[];
  /** For each stand the numbers of those that may come next. */
  readonly next: readonly (readonly number[])[];
  /** Whether all was looked at. */
  readonly isWhole: boolean;
}

/** Variables that may be anything. */
interface Freedom {
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

/** What a survey works with. */
export interface SurveyTools {
  readonly domains: Domains;
  readonly setters: Setters;
  readonly maxStands: number;
  /** Hears of every passage, and what is free before and after it. */
  readonly onPassage: (passage: Passage, free: Freedom) => void;
}

/**
 * Looks at every state a session can come to, and at each once. A variable that who works may have set is free until
 * something looks at it; then it becomes each of its values in turn.
 */
export function survey(terrain: Terrain, tools: SurveyTools): Landscape {
  const { domains, setters, maxStands, onPassage } = tools;
  const stands: Stand[] = [];
  const next: number[][] = [];
  // Of each stand the names that may be looked at some time: others need no value.
  const counting: ReadonlySet<string>[] = [];
  const numbers = new Map<string, number>();
  const open: number[] = [];

  function numberOf(stand: Stand): number {
    const horizon = terrain.horizonOf(stand, setters.at);
    const key = keyOf(stand, horizon, { terrain, domains });
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, stands.length);
    open.push(stands.length);
    next.push([]);
    counting.push(horizon.names);
    return stands.push(stand) - 1;
  }

  numberOf(startOf(terrain, setters));
  while (open.length > 0 && stands.length < maxStands) {
    const from = open.pop() ?? 0;
    const stand = stands[from];
    if (stand === undefined || stand.state.status === 'completed') continue;
    const name = firstFree(terrain, stand, counting[from]);
    const following =
      name === undefined
        ? moveOn(terrain, stand, { setters, onPassage })
        : domains.valuesOf(name).flatMap((value) => settle(terrain.navigator, stand, [name, value]));
    for (const one of following) next[from]?.push(numberOf(one));
  }
  return { stands, next, isWhole: open.length === 0 };
}

function firstFree(
  terrain: Terrain,
  stand: Stand,
  counting: ReadonlySet<string> = new Set(),
): string | undefined {
  for (const name of terrain.reads(stand)) if (stand.free.has(name) && counting.has(name)) return name;
  return undefined;
}

function startOf({ navigator }: Terrain, { given }: Setters): Stand {
  const event = startSession(navigator, { enforcement: 'strict' });
  return { state: begin('exploration', { at: timeless, event }), free: given };
}

function moveOn(
  terrain: Terrain,
  { state, free }: Stand,
  { setters, onPassage }: Pick<SurveyTools, 'onPassage' | 'setters'>,
): readonly Stand[] {
  const following: Stand[] = [];
  for (const passage of passagesFrom(terrain.navigator, state)) {
    const stand = arrive(terrain, passage, { setters, free });
    onPassage(passage, { before: free, after: stand.free });
    following.push(stand);
  }
  return following;
}

/** What a passage sets is no longer free; what the texts of the place name that it leads to is. */
function arrive(
  terrain: Terrain,
  { event, after }: Passage,
  { setters, free }: { readonly setters: Setters; readonly free: Stand['free'] },
): Stand {
  const set = new Set(Object.keys('variables' in event ? event.variables : {}));
  const left = [...free].filter((name) => !set.has(rootOf(name)));
  const fresh = event.type === 'activity-entered' ? setters.at(terrain.siteOf(event.activity)) : [];
  const isStale = (name: string): boolean => !set.has(name) && set.has(rootOf(name));
  const kept = Object.entries(after.variables).filter(([name]) => !isStale(name));
  return { state: { ...after, variables: Object.fromEntries(kept) }, free: new Set([...left, ...fresh]) };
}

/**
 * A variable that becomes something may bring a mode into force, which sets what nobody has set. One that has the value
 * already may also be left alone: who set it decides what a mode skips.
 */
function settle(
  navigator: Navigator,
  { state, free }: Stand,
  [name, value]: readonly [string, Json],
): readonly Stand[] {
  const left = new Set([...free].filter((other) => other !== name));
  const values = withModeDefaults(navigator, state, { [name]: value });
  const { revision } = state;
  const origins = Object.keys(values).map(
    (one) => [one, { by: one === name ? 'agent' : 'mode', revision }] as const,
  );
  const written: Stand = {
    state: {
      ...state,
      variables: { ...state.variables, ...values },
      assigned: [...new Set([...state.assigned, ...Object.keys(values)])],
      origins: { ...state.origins, ...Object.fromEntries(origins) },
    },
    free: left,
  };
  const isThere = JSON.stringify(lookUp(state.variables, name)) === JSON.stringify(value);
  return isThere ? [written, { state, free: left }] : [written];
}

/** Two stands with one key have the same future. */
function keyOf(
  { state, free }: Stand,
  { progress, names }: Horizon,
  { terrain, domains }: { readonly terrain: Terrain; readonly domains: Domains },
): string {
  if (state.status === 'completed') return 'completed';
  return JSON.stringify([
    progress,
    state.gate?.checkpoint,
    answeredGates(terrain.navigator, state),
    [...domains.names].map((name) => {
      if (!names.has(name)) return 0;
      return free.has(name) ? 1 : [lookUp(state.variables, name)];
    }),
  ]);
}
