import { rootOf } from '../root-of.ts';
import type { GatePolicy, Mode, Navigator, Whereabouts } from './navigator.ts';
import type { Judging } from './open-checkpoints.ts';
import { isDecidedByPerson, isPersons, namedByPerson } from './open-checkpoints.ts';
import type { SessionState } from './session-state.ts';
import { activeModes } from './variables.ts';

/** What whereabouts depend on beside the session. */
export interface WhereaboutsOptions {
  /** Names among the values that actions of the definition set. */
  readonly acted?: ReadonlySet<string>;
  /** Which checkpoints need a person; what the session was started with counts as well. */
  readonly gates?: GatePolicy;
}

/** Where a session stands, with the variables as they would be after these values. */
export function whereabouts(
  state: SessionState,
  navigator: Navigator,
  values: SessionState['variables'] = {},
  { acted, gates = 'declared' }: WhereaboutsOptions = {},
): Whereabouts {
  const { current, completed, visits, loops } = state;
  const variables = { ...state.variables, ...values };
  const policy = state.policy?.gates === 'human' ? 'human' : gates;
  const at = { navigator, gates: policy };
  const named = namedByPerson(state, at);
  const modes = activeModes(navigator, variables);
  const turnedOn = modes.map((mode) => ({ ...mode, by: turnedOnBy(mode, state, { values, acted, ...at }) }));
  const skippedBy = (...by: readonly TurnedOnBy[]): readonly string[] =>
    turnedOn.filter((mode) => by.includes(mode.by)).flatMap(({ skipActivities }) => skipActivities);
  const chosen = new Set([
    ...keptSkips(state, named, at),
    ...skippedBy('workflow', 'person'),
    // An agent's answer does not take out the activity that a person named as the next.
    ...skippedBy('answer').filter((id) => id !== named),
  ]);
  // A mode that an agent turned on does not take away a checkpoint that needs a person, nor what decides whether one is asked.
  const waived = skippedBy('agent').filter(
    (id) =>
      !chosen.has(id) &&
      id !== named &&
      navigator.personsCheckpoint(id, policy) === undefined &&
      !navigator.sendsToPerson(id, policy),
  );
  const skipped = new Set([...chosen, ...waived]);
  // Nor does it end the session before such a checkpoint.
  const isNeeded = (id: string): boolean =>
    navigator.passedBy({ current: id, completed, to: undefined, skipped }, policy) !== undefined;
  return {
    current,
    completed,
    visits,
    ...(loops === undefined ? {} : { loops }),
    variables,
    gates: policy,
    skipped,
    ...(waived.length === 0 ? {} : { needed: new Set(waived.filter(isNeeded)) }),
  };
}

/** The activities that answers skipped, without the one that a person named as the next if only agents skipped it. */
function keptSkips(state: SessionState, named: string | undefined, at: Judging): readonly string[] {
  const { skipped, skippedBy } = state;
  if (named === undefined || skippedBy === undefined) return skipped;
  const isPersonsSkip = skippedBy.some((one) => one.activities.includes(named) && isPersons(state, one, at));
  return isPersonsSkip ? skipped : skipped.filter((id) => id !== named);
}

/** `answer`: one to a checkpoint that does not need a person. `agent`: an agent's write. */
type TurnedOnBy = 'workflow' | 'person' | 'answer' | 'agent';

/** Who turned a mode on. */
function turnedOnBy(
  { variable }: Mode,
  state: SessionState,
  {
    values,
    acted,
    ...at
  }: Judging & {
    readonly values: object;
    readonly acted: ReadonlySet<string> | undefined;
  },
): TurnedOnBy {
  const { origins, owners } = state;
  for (const name of [variable, rootOf(variable)]) {
    if (acted?.has(name) === true) return 'workflow';
    // An agent that `set_by` allows may have written over what an answer set.
    if (Object.hasOwn(values, name)) return 'agent';
    const by = Object.hasOwn(origins, name) ? origins[name]?.by : undefined;
    if (by === 'agent') return 'agent';
    if (by === 'default' || by === 'action') return 'workflow';
    const owner = Object.hasOwn(owners, name) ? owners[name] : undefined;
    if (owner !== undefined && owner.left !== true)
      return isDecidedByPerson(state, owner, at) ? 'person' : 'answer';
    if (by !== undefined) return by === 'checkpoint' ? 'answer' : 'agent';
  }
  return 'agent';
}
