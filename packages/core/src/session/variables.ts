import { evaluate, lookUp } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import type { Assignment, Mode, Navigator } from '../navigation/navigator.ts';
import type { Refusal } from './command.ts';
import { refuse } from './command.ts';
import type { SetBy } from './session-event.ts';
import type { SessionState } from './session-state.ts';
import { messages } from '../messages/sessions.ts';

/** Variables and their values. */
export type Values = Readonly<Record<string, Json>>;

/** The values of a workflow's variables before anybody set one. */
export function initialVariables({ variables }: Navigator): Values {
  return Object.fromEntries(
    variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  );
}

/**
 * Lists the problems of values that a caller sets: names that the workflow does not declare (if it declares any) and
 * wrong types. `null` unsets a variable of any type.
 */
export function checkVariables({ variables }: Navigator, values: Values): readonly string[] {
  if (variables.length === 0) return [];
  const problems = Object.entries(values).flatMap(([name, value]) => {
    const declared = variables.find((variable) => variable.name === name);
    if (declared === undefined) return [messages.notDeclared(name)];
    const found = Array.isArray(value) ? 'array' : typeof value;
    return found === declared.type || value === null ? [] : [messages.wrongType(name, declared.type, found)];
  });
  if (problems.length <= mostProblems) return problems;
  const more = problems.length - mostProblems;
  return [...problems.slice(0, mostProblems), messages.moreProblems(more)];
}

/** How many problems of one call a message lists. */
const mostProblems = 10;

/** Most variables that one call sets, and characters of JSON that one of them, and all of a session, may have. */
const limits = { names: 1_000, value: 65_536, session: 1_048_576 } as const;

/**
 * Why values are more than a session keeps: everything that shows a session reads all of them, so long texts belong into
 * outputs and files.
 */
export function refuseTooMuch(state: Pick<SessionState, 'variables'>, values: Values): Refusal | undefined {
  const names = Object.keys(values);
  if (names.length === 0) return undefined;
  if (names.length > limits.names)
    return tooMuch(messages.tooManyVariables(names.length, limits.names), limits.names);
  const big = names.find((name) => sizeOf(values[name]) > limits.value);
  if (big !== undefined)
    return tooMuch(
      messages.variableTooLong(big.slice(0, 100), sizeOf(values[big]), limits.value),
      limits.value,
    );
  const size = sizeOf({ ...state.variables, ...values });
  if (size <= limits.session) return undefined;
  return tooMuch(messages.sessionTooLong(size, limits.session), limits.session);
}

function sizeOf(value: Json | Values | undefined): number {
  return JSON.stringify(value ?? null).length;
}

function tooMuch(what: string, limit: number): Refusal {
  return refuse('INVALID_INPUT', `${what} ${messages.putTextsElsewhere()}`, { limit }).refusal;
}

/** Returns the active modes: those whose variable is true. */
export function activeModes({ modes }: Navigator, variables: Values): readonly Mode[] {
  return modes.filter(({ activation }) => evaluate(activation, variables));
}

/** The state before values are set. */
export interface StateBefore extends Pick<SessionState, 'variables' | 'assigned'> {
  /** Modes in force already; by default those the variables bring into force. */
  readonly modes?: readonly Mode[];
  /** Names that the defaults of a mode may not fill, including paths into them. */
  readonly guarded?: ReadonlySet<string>;
}

/** Returns whether two names can refer to the same value: they are equal, or one is a path into the other. */
export function overlaps(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

/**
 * Returns values for variables whose own name reads like a path into a written one. Conditions find them before the
 * written value, so they get the value it has at that path.
 */
export function pathsInto(values: Values, variables: Readonly<Record<string, unknown>>): Values {
  const isInto = (name: string): boolean => {
    const [root = name] = name.split('.', 1);
    return root !== name && Object.hasOwn(values, root) && !Object.hasOwn(values, name);
  };
  return Object.fromEntries(
    Object.keys(variables)
      .filter(isInto)
      .map((name) => [name, (lookUp(values, name) ?? null) as Json]),
  );
}

/**
 * Adds the defaults of the modes that the values activate, for variables that are not set. A default may activate
 * another mode.
 */
export function withModeDefaults(navigator: Navigator, before: StateBefore, values: Values): Values {
  const { variables, assigned, modes = activeModes(navigator, variables), guarded = none } = before;
  const known = new Set(modes);
  const fresh = activeModes(navigator, { ...variables, ...values }).filter((mode) => !known.has(mode));
  const taken = new Set([...assigned, ...Object.keys(values)]);
  const filled = new Map<string, Json>();
  for (const [name, value] of fresh.flatMap(({ defaults }) => Object.entries(defaults))) {
    if (taken.has(name) || filled.has(name) || isGuarded(name, guarded)) continue;
    filled.set(name, value);
  }
  if (filled.size === 0) return values;
  return withModeDefaults(navigator, before, { ...Object.fromEntries(filled), ...values });
}

const none: ReadonlySet<string> = new Set();

function isGuarded(name: string, guarded: ReadonlySet<string>): boolean {
  return guarded.size > 0 && [...guarded].some((one) => overlaps(one, name));
}

/** The values that actions give variables, one after the other, each seeing those before it. */
export function assign(
  assignments: readonly Assignment[],
  variables: Readonly<Record<string, unknown>>,
): Values {
  const values = new Map<string, Json>();
  for (const { name, value, condition } of assignments) {
    const seen = { ...variables, ...Object.fromEntries(values) };
    if (condition !== undefined && !evaluate(condition, seen)) continue;
    values.set(name, value);
    for (const [path, part] of Object.entries(pathsInto({ [name]: value }, seen))) values.set(path, part);
  }
  return Object.fromEntries(values);
}

/** Activities passed over now: those that answers took out, and those of the modes in force. */
export function skippedActivities(
  navigator: Navigator,
  skipped: readonly string[],
  variables: Values,
): ReadonlySet<string> {
  return new Set([
    ...skipped,
    ...activeModes(navigator, variables).flatMap(({ skipActivities }) => skipActivities),
  ]);
}

/** Returns who set each value of an agent's call: an action of the definition, else the agent, else a mode. */
export function authorsOf(
  values: Values,
  { acted, written }: { readonly acted: ReadonlySet<string>; readonly written: Values },
): { readonly setBy?: Readonly<Record<string, SetBy>> } {
  return setByEach(values, (name) => {
    if (acted.has(name)) return 'action';
    return Object.hasOwn(written, name) ? 'agent' : 'mode';
  });
}

/** Returns the event field that records who set each value, or nothing if the event has no values. */
export function setByEach(
  values: Values,
  by: (name: string) => SetBy,
): { readonly setBy?: Readonly<Record<string, SetBy>> } {
  const names = Object.keys(values);
  return names.length === 0 ? {} : { setBy: Object.fromEntries(names.map((name) => [name, by(name)])) };
}

/** The first part of a dotted name: the variable that a path leads into. */
export function rootOf(name: string): string {
  return name.split('.', 1)[0] ?? name;
}
