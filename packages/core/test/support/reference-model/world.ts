import type { Action, Approver, ConditionSource, Json } from '@workflowlookup/schema';

/** Variables of the reference model. */
export type Vars = Record<string, Json>;

/** The state of a session in the reference model. */
export interface Model {
  revision: number;
  ended: boolean;
  current: string | undefined;
  completed: string[];
  visits: Map<string, number>;
  /** The loops that the session is in, by `host/loop`, with the number of iterations that began. The most recent one is last. */
  iterations: Map<string, number>;
  vars: Vars;
  assigned: string[];
  skipped: string[];
  /** The revision at which the session entered the outermost loop. */
  entry: number;
  /** The activities that each answer skips. */
  skippedBy: readonly {
    readonly key: string;
    readonly about: Item | undefined;
    readonly skip: readonly string[];
  }[];
  /** The values that answers in loops gave each variable, the latest last. */
  byItem: Map<string, readonly { readonly about: Item; readonly value: Json }[]>;
  /** The checkpoint whose answer set `expected`. */
  expectedBy: string | undefined;
  /** The variables that still have the value that an answer gave them. */
  byAnswer: Set<string>;
  expected: string | undefined;
  openCheckpoint: { id: string; sinceMs: number } | undefined;
  /** The last option chosen at each checkpoint of this visit. A dismissal leaves it as it is. */
  answers: Map<string, string>;
  /** The checkpoints of this visit that were dismissed since their last option was chosen. */
  dismissed: Set<string>;
  /** The checkpoints that were answered since the session entered the activity from another one, or by an open transition. */
  decided: Set<string>;
  /** Whether an agent was the last to write the variable that activates the mode. */
  isModeOfAgent: boolean;
  /** Whether every checkpoint that a step stops at needs a person. */
  readonly isHuman: boolean;
  /** The checkpoint that owns each variable. */
  owners: Map<string, string>;
  /** The variables that the chosen option does not set, although another option of the checkpoint does. */
  left: Set<string>;
  isParked: boolean;
  /** The steps that were reported as not done, and have not been done since. */
  notDone: readonly { readonly activity: string; readonly step: string }[];
}

/** The iteration in which an answer was given. */
export interface Item {
  readonly entry: number;
  readonly iteration: string;
}

/** A step in the reference model. */
interface WorldStep {
  readonly id: string;
  readonly tests: readonly (ConditionSource | undefined)[];
  readonly optional: boolean;
  readonly checkpoint: string | undefined;
  readonly actions: readonly Action[];
  /** The variable that the field of its output sets. */
  readonly fills?: string | undefined;
  readonly mayBeMissing?: boolean;
}

/** A checkpoint in the reference model. */
export interface WorldCheckpoint {
  readonly id: string;
  readonly condition: ConditionSource | undefined;
  readonly approver: Approver | undefined;
  readonly blocking: boolean;
  readonly timerMs: number | undefined;
  readonly preset: string | undefined;
  readonly sendsBack: string | undefined;
  readonly isReversible?: boolean;
  readonly options: readonly {
    readonly id: string;
    readonly set?: Vars;
    readonly goTo?: string | undefined;
    readonly skip?: readonly string[] | undefined;
  }[];
}

/** The open transitions in order, or `stuck`. `unsure`: a variable that nobody has set could open another one. */
export type OpenTransitions = 'stuck' | { readonly open: readonly string[]; readonly unsure: boolean };

/** An open transition of an activity, or of a loop with the key `host/loop`. */
export interface OpenTransition {
  readonly to: string;
  readonly of: string | undefined;
  readonly loop?: string;
  readonly beginsIteration?: boolean;
}

/** A move into a place. */
export interface Entry {
  readonly to: string;
  /** The index of the taken transition among the open ones. Absent if an answer leads there, or no transition does. */
  readonly transition: number | undefined;
  /** The last transition of a loop by which the session passed skipped places. */
  readonly through: OpenTransition | undefined;
  readonly isStray: boolean;
  readonly vars: Vars;
  readonly skip: ReadonlySet<string>;
}

/** The questions of the reference model to a workflow. A place is an activity, or a step of a step workflow. */
export interface World {
  readonly places: readonly string[];
  readonly start: Vars;
  /** Whether the definition leaves open where a session begins. */
  readonly startsAnywhere: boolean;
  /** The types of the variables. Empty if none is declared. */
  readonly types: ReadonlyMap<string, string>;
  readonly required: readonly string[];
  readonly quick: { readonly skip: readonly string[]; readonly defaults: Vars } | undefined;
  steps(place: string): readonly WorldStep[];
  gates(place: string): readonly WorldCheckpoint[];
  /** Returns the variables that exist only at this place. */
  scope(place: string): Vars;
  /** Returns whether the list of a loop around the place is missing. */
  lacksItem(place: string, vars: Vars): boolean;
  /** Returns whether the place is inside a loop over activities. */
  repeats(place: string): boolean;
  actions(place: string, moment: 'entry' | 'exit'): readonly Action[];
  openTransitions(model: Model, vars: Vars, skip: ReadonlySet<string>): OpenTransitions;
  /** Returns the loops that the session is in after it enters a place, and the variables that the new iteration sets. */
  iterations(model: Model, entry: Entry): { readonly iterations: Map<string, number>; readonly sets: Vars };
  /** Returns the variables that an agent may not change during its loops: the items, and the lists, which may only grow. */
  kept(model: Model): { readonly items: readonly string[]; readonly lists: readonly string[] };
  /** Returns whether a place has a checkpoint that needs a person. */
  needsPerson(place: string, isHuman: boolean): boolean;
  /** Returns whether the work at a place can decide whether a person is asked. */
  sendsToPerson(place: string, isHuman: boolean): boolean;
  /** Returns whether a move without a transition could bypass a person. Without a target, the move leads to the end. */
  passesPerson(model: Model, target: string | undefined): boolean;
  /** Returns whether a person can still be asked after a place. Skipped places ask nobody. */
  mayAskFrom(place: string, isHuman: boolean, skip: ReadonlySet<string>): boolean;
  /** Returns the place at which a session ends because its loop has no iterations left for it. */
  outOfIterations(model: Model, skip: ReadonlySet<string>): string | undefined;
  /** Returns the transition that a session takes from a skipped place. */
  past(model: Model, place: string, now: Pick<Entry, 'vars' | 'skip'>): OpenTransition | undefined;
  /** Returns the loops that a session stays in when it takes a transition. */
  stays(model: Model, to: string, transition: OpenTransition | undefined): Map<string, number>;
}

/** Returns whether a condition is true. Conditions have the form `name sign value`, so that the model needs no parser. */
export function says(condition: ConditionSource | undefined, vars: Vars): boolean {
  if (condition === undefined) return true;
  const [name = '', sign, value] = (condition as string).split(' ');
  const found = vars[name];
  if (sign === '<') return typeof found === 'number' && found < Number(value);
  return (found === Number(value)) === (sign === '==');
}

/** Returns the place to which the answer of a person leads next. */
export function nextOfPerson(world: World, { expected, expectedBy, isHuman }: Model): string | undefined {
  return isHuman || isPersons(world, expectedBy) ? expected : undefined;
}

/** Returns whether a checkpoint needs a person. Its key is `place/id`. */
export function isPersons(world: World, key = ''): boolean {
  const at = key.lastIndexOf('/');
  const checkpoints = world.gates(key.slice(0, at));
  return checkpoints.some(({ id, approver }) => id === key.slice(at + 1) && approver === 'human');
}
