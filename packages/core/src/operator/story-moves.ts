import type { RecordedEvent, StoryMove } from './operator.ts';

/** The moves of a session, in order; that it was abandoned is none. */
export function storyMoves(events: readonly RecordedEvent[]): readonly StoryMove[] {
  return events.flatMap(({ revision, at, event }): StoryMove[] => {
    if (event.type !== 'activity-entered' && event.type !== 'session-completed') return [];
    if (event.type === 'session-completed' && event.outcome !== undefined) return [];
    return [
      {
        revision,
        at,
        ...(event.from === undefined ? {} : { from: event.from }),
        ...(event.type === 'activity-entered' ? { to: event.activity } : {}),
        steps: event.manifest.map(({ step_id: id }) => id),
        ...(event.warnings.length === 0 ? {} : { warnings: event.warnings }),
      },
    ];
  });
}
