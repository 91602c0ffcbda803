import type { Action, Approver, ConditionSource, Json } from '@workflowlookup/schema';

/** Variables of the reference model. */
export type Vars = Record<string, Json>;

/** What the reference model keeps of a session. */
export interface Model {
  revision: number;
  ended: boolean;
  current: string | undefined;
  completed: string[];
  visits: Map<string, number>;
  /** Loops over activities that the session is in, by `host/loop`, with the rounds that began; the one that began a round last is last. */
  rounds: Map<string, number>;
  vars: Vars;
  assigned: string[];
  skipped: string[];
  /** The revision that entered the outermost of these loops. */
  entry: number;
  /** What each answer took out. */
  skippedBy: readonly {
    readonly key: string;
    readonly about: Item | undefined;
    readonly skip: readonly string[];
  }[];
  /** What answers in loops set, by the variable, the last one at the end. */
  byItem: Map<string, readonly { readonly about: Item; readonly value: Json }[]>;
  /** The checkpoint whose answer says what is expected. */
  expectedBy: string | undefined;
  /** Variables whose value is still the one an answer gave them. */
  byAnswer: Set<string>;
  expected: string | undefined;
  openCheckpoint: { id: string; sinceMs: number } | undefined;
  /** The last option chosen at each checkpoint of this visit. A dismissal leaves it as it is. */
  answers: Map<string, string>;
  /** The checkpoints of this visit that were dismissed since their last option was chosen. */
  dismissed: Set<string>;
  /** Checkpoints that were answered since the activity was entered from another one, or by an open transition. */
  decided: Set<string>;
  /** Whether an agent was the last to write the variable of the mode. */
  isModeOfAgent: boolean;
  /** Whether every checkpoint that a step stops at needs a person. */
  readonly isHuman: boolean;
  /** The checkpoint that a variable belongs to, by the variable. */
  owners: Map<string, string>;
  /** Variables that only options set which were not chosen. */
  left: Set<string>;
  isParked: boolean;
  /** Steps that were reported as not done, by their activity, and were not done since. */
  notDone: readonly { readonly activity: string; readonly step: string }[];
}

/** What an answer in a loop is about. */
export interface Item {
  readonly entry: number;
  readonly round: string;
}

/** A step as the reference model does it. */
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

/** A checkpoint as the reference model asks it. */
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

/** Ways that are open, in order, or `stuck`; `unsure` where a variable that nobody set could open another. */
export type OpenTransitions = 'stuck' | { readonly open: readonly string[]; readonly unsure: boolean };

/** An open transition: of an activity, or of a loop with the key `host/loop`. */
export interface OpenTransition {
  readonly to: string;
  readonly of: string | undefined;
  readonly loop?: string;
  readonly isRound?: boolean;
}

/** A place that is entered. */
export interface Entry {
  readonly to: string;
  /** The index of the taken transition among the open ones. Absent if an answer leads there, or no transition does. */
  readonly transition: number | undefined;
  /** The last transition of a loop by which skipped places were passed. */
  readonly through: OpenTransition | undefined;
  readonly isStray: boolean;
  readonly vars: Vars;
  readonly skip: ReadonlySet<string>;
}

/** What the reference model asks of a definition. */
export interface World {
  readonly places: readonly string[];
  readonly start: Vars;
  /** Whether the definition leaves open where a session begins. */
  readonly startsAnywhere: boolean;
  /** Types of the variables; none where nothing is declared. */
  readonly types: ReadonlyMap<string, string>;
  readonly required: readonly string[];
  readonly quick: { readonly skip: readonly string[]; readonly defaults: Vars } | undefined;
  steps(place: string): readonly WorldStep[];
  gates(place: string): readonly WorldCheckpoint[];
  /** Variables that only this place sees. */
  scope(place: string): Vars;
  /** Whether a loop around the place runs over a list that is not there. */
  lacksItem(place: string, vars: Vars): boolean;
  /** Whether a loop of another place enters it for each round. */
  repeats(place: string): boolean;
  actions(place: string, moment: 'entry' | 'exit'): readonly Action[];
  openTransitions(model: Model, vars: Vars, skip: ReadonlySet<string>): OpenTransitions;
  /** The loops that the session is in once a place is entered, and the variables that a round sets. */
  rounds(model: Model, entry: Entry): { readonly rounds: Map<string, number>; readonly sets: Vars };
  /** Variables that the loops of the session keep: the items, and the lists, which may get more. */
  kept(model: Model): { readonly items: readonly string[]; readonly lists: readonly string[] };
  /** Whether a place has a checkpoint that needs a person. */
  needsPerson(place: string, isHuman: boolean): boolean;
  /** Whether the work of a place can decide that a person is asked. */
  sendsToPerson(place: string, isHuman: boolean): boolean;
  /** Whether a move without a legal transition could skip such a checkpoint. Without a target, the move leads to the end. */
  passesPerson(model: Model, target: string | undefined): boolean;
  /** Whether a person can still be asked from a place on; skipped places ask nobody. */
  mayAskFrom(place: string, isHuman: boolean, skip: ReadonlySet<string>): boolean;
  /** The place where a session is stuck, because its loop has no rounds left for it. */
  outOfRounds(model: Model, skip: ReadonlySet<string>): string | undefined;
  /** Where a skipped place is passed on to. */
  past(model: Model, place: string, now: Pick<Entry, 'vars' | 'skip'>): OpenTransition | undefined;
  /** Returns the loops that a session stays in when it takes a transition. */
  stays(model: Model, to: string, transition: OpenTransition | undefined): Map<string, number>;
}

/** Conditions of the tests are `name sign value`, so that the model needs no parser. */
export function says(condition: ConditionSource | undefined, vars: Vars): boolean {
  if (condition === undefined) return true;
  const [name = '', sign, value] = (condition as string).split(' ');
  const found = vars[name];
  if (sign === '<') return typeof found === 'number' && found < Number(value);
  return (found === Number(value)) === (sign === '==');
}

/** The place that a person's answer named as the next. */
export function nextOfPerson(world: World, { expected, expectedBy, isHuman }: Model): string | undefined {
  return isHuman || isPersons(world, expectedBy) ? expected : undefined;
}

/** Whether the checkpoint of a key, which is its place and its id, needs a person. */
export function isPersons(world: World, key = ''): boolean {
  const at = key.lastIndexOf('/');
  const checkpoints = world.gates(key.slice(0, at));
  return checkpoints.some(({ id, approver }) => id === key.slice(at + 1) && approver === 'human');
}
