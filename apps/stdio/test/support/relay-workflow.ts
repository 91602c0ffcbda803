const activity = (id: string, to: string): object => ({
  id,
  version: '1.0.0',
  name: `Activity ${id}`,
  steps: [{ id: `run-${id}`, name: 'Run' }],
  checkpoints: [
    { id: 'hand-over', name: 'Hand over', message: 'Over?', options: [{ id: 'over', label: 'Over' }] },
  ],
  transitions: [{ to }, { to: 'end', condition: 'done == true' }],
});

/** A workflow with two activities that lead to each other, so that a session never ends. */
export const relayFiles: Readonly<Record<string, object>> = {
  'relay/workflow.json': {
    id: 'relay',
    version: '1.0.0',
    title: 'Relay',
    initialActivity: 'there',
    variables: [{ name: 'done', type: 'boolean', defaultValue: false }],
  },
  'relay/activities/01-there.json': activity('there', 'back'),
  'relay/activities/02-back.json': activity('back', 'there'),
};

/** Returns the current activity of a session on `relay` at a revision, if all its events after the start are moves. */
export const placeAt = (revision: number): 'there' | 'back' => (revision % 2 === 0 ? 'there' : 'back');

/** Returns the arguments of `next_activity` for the move at this revision. */
export function moveFrom(revision: number, output: string): object {
  if (revision === 1) return {};
  return {
    activity_id: placeAt(revision + 1),
    step_manifest: [{ step_id: `run-${placeAt(revision)}`, output }],
  };
}
