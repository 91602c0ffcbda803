import type { CheckpointOption, Json } from '@workflowlookup/schema';
import type { ActivitySketch, Walk, DryRunOptions } from './sessions.ts';
import { graph, walk } from './sessions.ts';

/** Returns an option of a checkpoint that sets variables, and may lead to an activity. */
export function option(
  id: string,
  setVariable: Record<string, Json> = {},
  transitionTo?: string,
): CheckpointOption {
  const effect = { setVariable, ...(transitionTo === undefined ? {} : { transitionTo }) };
  return { id, label: `Label of ${id}`, effect };
}

/** An activity that asks a person for permission. */
export const scope: ActivitySketch = {
  id: 'scope',
  checkpoints: [
    {
      id: 'permit',
      name: 'Permit',
      message: 'May {target} be tested?',
      approver: 'human',
      options: [option('read-only', { live: false }), option('attack', { live: true }), option('later')],
    },
  ],
  transitions: [{ to: 'review' }],
};

/** Activities whose first checkpoint sets `live` and shows `target`. */
export const audit = [
  scope,
  { id: 'review', transitions: [{ to: 'probe', condition: 'live == true' }, { to: 'report' }] },
  { id: 'probe', transitions: [{ to: 'report' }] },
  { id: 'report' },
];

/** The variables of {@link audit}. */
export const variables = [
  { name: 'live', type: 'boolean', defaultValue: false },
  { name: 'target', type: 'string', defaultValue: 'staging' },
  { name: 'note', type: 'string' },
] as const;

/** Starts a session of {@link audit} in which a person chooses an option. */
export function answered(chosen: string, more: DryRunOptions = {}): Walk {
  const session = walk(graph(audit, { variables }), more);
  session.move();
  session.yield('permit');
  session.choose(chosen, 'human');
  return session;
}
