import type { Json } from '@workflowlookup/schema';
import { canonicalJson } from '@workflowlookup/schema';
import type { Circumstances } from './command.ts';
import { describeMissingList } from './loop-iterations.ts';
import type { Navigator } from './navigator.ts';
import type { NextCall } from './next-calls.ts';
import { callsFrom, nextCalls } from './next-calls.ts';
import type { ParentLink } from './session-event.ts';
import type { Prospect } from './prospect.ts';
import { consider } from './prospect.ts';
import { shortenStatus } from './shorten-status.ts';
import type { AnsweredGate, SessionState } from './session-state.ts';
import type { Values } from './variables.ts';
import { initialVariables } from './variables.ts';
import { describeEarlyEnd } from './way-problems.ts';
import { whereabouts } from './whereabouts.ts';

/** A session that was started from this one. */
export interface ChildLink {
  readonly sid: string;
  readonly workflowId: string;
  readonly status: 'active' | 'blocked' | 'completed';
  /** Why the session is not known to be what a server with the keys wrote; absent where it is. */
  readonly unauthentic?: 'unsealed' | 'unchecked' | 'unknown-key';
}

/** What an agent needs to go on after it lost everything but its token. */
export interface SessionStatus {
  readonly status: 'active' | 'blocked' | 'completed';
  readonly outcome?: 'abandoned';
  readonly current?: string;
  /** In the order in which they were left first. */
  readonly completed: readonly string[];
  /** Taken out by answers and by the modes in force. */
  readonly skipped: readonly string[];
  readonly lastAnswer?: AnsweredGate;
  readonly workflow: { readonly id: string; readonly version: string; readonly title: string };
  readonly parent?: ParentLink;
  readonly children: readonly ChildLink[];
  /** Present where the session was imported; `isAuthentic` false: nothing proves what it holds, and it can't be continued. */
  readonly imported?: { readonly at: string; readonly by: string; readonly isAuthentic: boolean };
  /** Why the session is not known to be what a server with the keys wrote; then it can't be continued. */
  readonly unauthentic?: 'unsealed' | 'unchecked' | 'unknown-key';
  /** Those that differ from their defaults. */
  readonly variables: Values;
  /** Who set each of them, and at which revision. */
  readonly variablesSetBy?: Readonly<Record<string, string>>;
  readonly next: readonly NextCall[];
  /** What keeps the way on from being found, and what would do. */
  readonly obstacle?: string;
  /** Where entries were left out to keep a status short. */
  readonly omitted?: Omitted;
}

/** How many entries of each field a status leaves out. */
export type Omitted = Partial<
  Readonly<Record<'completed' | 'skipped' | 'children' | 'variables' | 'next', number>>
>;

/** `active`, `completed`, or `blocked` while a checkpoint waits. */
export function statusWord({ status, gate }: SessionState): ChildLink['status'] {
  return gate === undefined ? status : 'blocked';
}

/**
 * Where a session stands and what can be done, in at most 2,800 characters of JSON, so that an agent that lost its
 * context goes on after one call.
 */
export function statusOf(
  state: SessionState,
  navigator: Navigator,
  more: { readonly children?: readonly ChildLink[]; readonly gates?: Circumstances['gates'] } = {},
): SessionStatus {
  const { outcome, current, completed, lastAnswer, parent } = state;
  const { id, title } = navigator.workflow;
  const { gates = 'declared' } = more;
  const here = whereabouts(state, navigator, {}, { gates });
  const isOpen = state.status !== 'completed' && state.gate === undefined;
  const prospect = isOpen ? consider(state, { kind: 'move' }, navigator, gates) : undefined;
  const obstacle = prospect && obstacleOf(prospect);
  return shortenStatus({
    status: statusWord(state),
    ...(outcome === undefined ? {} : { outcome }),
    ...(current === undefined ? {} : { current }),
    completed,
    skipped: [...here.skipped],
    ...(lastAnswer === undefined ? {} : { lastAnswer }),
    workflow: { id, version: state.version, title },
    ...(parent === undefined ? {} : { parent }),
    children: more.children ?? [],
    ...changed(state, navigator),
    next: prospect === undefined ? nextCalls(state, navigator, gates) : callsFrom(prospect),
    ...(obstacle === undefined ? {} : { obstacle }),
  });
}

function obstacleOf(prospect: Prospect): string | undefined {
  const [missing] = prospect.work?.account.missingLists ?? [];
  return (
    prospect.ahead.obstacle ??
    (missing === undefined ? describeEarlyEnd(prospect) : describeMissingList(missing))
  );
}

function changed(
  state: SessionState,
  navigator: Navigator,
): Pick<SessionStatus, 'variables' | 'variablesSetBy'> {
  const variables = changedVariables(state, navigator);
  const setBy = Object.keys(variables).map((name) => [name, originText(state, name)] as const);
  return { variables, ...(setBy.length === 0 ? {} : { variablesSetBy: Object.fromEntries(setBy) }) };
}

/** `checkpoint merge at 12`, `agent at 3`. */
function originText({ origins }: SessionState, name: string): string {
  const origin = Object.hasOwn(origins, name) ? origins[name] : undefined;
  if (origin === undefined) return 'unknown';
  const { by, checkpoint, revision } = origin;
  return `${by}${checkpoint === undefined ? '' : ` ${checkpoint}`} at ${revision}`;
}

function changedVariables({ variables }: SessionState, navigator: Navigator): Values {
  const defaults = new Map(Object.entries(initialVariables(navigator)));
  return Object.fromEntries(
    Object.entries(variables).filter(([name, value]) => !sameValue(value, defaults.get(name))),
  );
}

function sameValue(value: Json, standard: Json | undefined): boolean {
  return standard !== undefined && canonicalJson(value) === canonicalJson(standard);
}
