import type { Navigator, Whereabouts } from './navigator.ts';
import type { SessionState } from './session-state.ts';
import { skippedActivities } from './variables.ts';

/** Where a session stands, with the variables as they would be after these values. */
export function whereabouts(
  state: SessionState,
  navigator: Navigator,
  values: SessionState['variables'] = {},
): Whereabouts {
  const { current, completed, visits } = state;
  const variables = { ...state.variables, ...values };
  return {
    current,
    completed,
    visits,
    variables,
    skipped: skippedActivities(navigator, state.skipped, variables),
  };
}
