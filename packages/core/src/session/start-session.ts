import type { Enforcement } from '@workflowlookup/schema';
import type { Navigator } from './navigator.ts';
import type { ParentLink, SessionEvent } from './session-event.ts';
import type { SessionState } from './session-state.ts';
import type { Values } from './variables.ts';
import { initialVariables, withModeDefaults } from './variables.ts';

/** What a session starts with beside its workflow. */
export interface SessionStart {
  /** What the server asks for; a workflow that is strict stays so. */
  readonly enforcement?: Enforcement;
  readonly parent?: ParentLink;
  /** Values handed on, as by a trigger's `passContext`. */
  readonly variables?: Values;
}

/** The first event of a session: its variables are the defaults, what was handed on, and what modes in force fill in. */
export function startSession(
  navigator: Navigator,
  { enforcement = 'advisory', parent, variables: given = {} }: SessionStart = {},
): Extract<SessionEvent, { type: 'session-started' }> {
  const { id, version, digest } = navigator.workflow;
  const defaults = initialVariables(navigator);
  const filled = withModeDefaults(navigator, { variables: defaults, assigned: [], modes: [] }, given);
  return {
    type: 'session-started',
    workflowId: id,
    version,
    digest,
    enforcement: [enforcement, navigator.enforcement].includes('strict') ? 'strict' : 'advisory',
    variables: { ...defaults, ...filled },
    assigned: Object.keys(given),
    ...(parent === undefined ? {} : { parent }),
  };
}

/** What a child keeps of the session it is started from. */
export function parentLink({ sid, workflowId, version, current }: SessionState): ParentLink {
  return { sid, workflowId, version, ...(current === undefined ? {} : { activity: current }) };
}
