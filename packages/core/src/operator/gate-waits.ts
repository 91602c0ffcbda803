import type { SessionRow } from '@workflowlookup/storage';
import type { GateWait, RecordedEvent } from './operator.ts';

/** The checkpoints a session stopped at, in order, each with its answer; `moved` are answers to another question. */
export function gateWaits(
  events: readonly RecordedEvent[],
  moved: ReadonlySet<number> = new Set(),
  { imported }: Pick<SessionRow, 'imported'> = {},
): readonly GateWait[] {
  const doubtfulUpTo = imported?.isAuthentic === false ? imported.revision : 0;
  const waits: GateWait[] = [];
  for (const { revision, at, event } of events) {
    if (event.type === 'checkpoint-yielded') {
      const { checkpoint, activity } = event;
      waits.push({ checkpoint, activity, revision, yieldedAt: at });
    }
    const last = waits.at(-1);
    if (event.type === 'checkpoint-answered' && last !== undefined) {
      const { answer, by, person, note, origin, decided } = event;
      const who = {
        by,
        ...(person === undefined ? {} : { person }),
        ...(note === undefined ? {} : { note }),
        ...(origin === undefined ? {} : { origin }),
        ...(decided === undefined ? {} : { decided: { ...decided, isAsAsked: !moved.has(revision) } }),
        ...(revision <= doubtfulUpTo ? { isImported: true as const } : {}),
      };
      waits[waits.length - 1] = { ...last, answered: { at, answer, ...who } };
    }
  }
  return waits;
}
