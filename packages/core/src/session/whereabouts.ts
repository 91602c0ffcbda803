import type { Whereabouts } from './navigator.ts';
import type { SessionState } from './session-state.ts';

/** Where a session stands, with the variables as they would be after these values. */
export function whereabouts(state: SessionState, values: SessionState['variables'] = {}): Whereabouts {
  const { current, completed, visits, variables } = state;
  return { current, completed, visits, variables: { ...variables, ...values } };
}
