import type { Enforcement } from '@workflowlookup/schema';
import type { Navigator } from './navigator.ts';
import { reservedNames } from './ownership.ts';
import type { ParentLink, SealedPolicy, SessionEvent, SetBy, VariableOwner } from './session-event.ts';
import type { SessionState } from './session-state.ts';
import type { Values } from './variables.ts';
import { initialVariables, setByEach, withModeDefaults } from './variables.ts';

/** What a session starts with beside its workflow. */
export interface SessionStart {
  /** What the server asks for; a workflow that is strict stays so. */
  readonly enforcement?: Enforcement;
  readonly parent?: ParentLink;
  /** Values handed on, as by a trigger's `passContext`. */
  readonly variables?: Values;
  /** Variables that belong to a checkpoint of the parent, with or without a value. */
  readonly owned?: Readonly<Record<string, VariableOwner>>;
  /** Name of the source that served the definition. */
  readonly source?: string | undefined;
  /** The policy of the whole session, whichever server continues it. */
  readonly policy?: SealedPolicy;
  /** The credential of the call: its id. */
  readonly credential?: string;
  /** Credentials that worked on the parent. */
  readonly drivers?: readonly string[];
}

/** The first event of a session: its variables are the defaults, what was handed on, and what modes in force fill in. */
export function startSession(
  navigator: Navigator,
  { enforcement = 'advisory', variables: given = {}, owned = {}, ...more }: SessionStart = {},
): Extract<SessionEvent, { type: 'session-started' }> {
  const { id, version, digest } = navigator.workflow;
  const { parent, policy, credential, source, drivers = [] } = more;
  const defaults = initialVariables(navigator);
  const before = { variables: defaults, assigned: [], modes: [] };
  const own = withModeDefaults(navigator, before, {});
  // A parent's agent could hand a mode on that fills what only an answer here, or in the parent, may set.
  const reserved = [...reservedNames(navigator), ...Object.keys(owned)];
  const guarded = new Set(reserved.filter((name) => !Object.hasOwn(own, name)));
  const filled = withModeDefaults(navigator, { ...before, guarded }, given);
  const setBy = (name: string): SetBy => {
    if (Object.hasOwn(given, name)) return 'trigger';
    return Object.hasOwn(filled, name) ? 'mode' : 'default';
  };
  const variables = { ...defaults, ...filled };
  return {
    type: 'session-started',
    workflowId: id,
    version,
    digest,
    enforcement: [enforcement, navigator.enforcement].includes('strict') ? 'strict' : 'advisory',
    variables,
    assigned: Object.keys(given),
    ...setByEach(variables, setBy),
    ...(Object.keys(owned).length === 0 ? {} : { owned }),
    ...(policy === undefined ? {} : { policy }),
    ...(source === undefined ? {} : { source }),
    ...(credential === undefined ? {} : { credential }),
    ...(drivers.length === 0 ? {} : { drivers }),
    ...(parent === undefined ? {} : { parent }),
  };
}

/** What a child keeps of the session it is started from. */
export function parentLink({ sid, workflowId, version, current }: SessionState): ParentLink {
  return { sid, workflowId, version, ...(current === undefined ? {} : { activity: current }) };
}
