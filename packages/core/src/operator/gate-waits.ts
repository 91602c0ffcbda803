import type { GateWait, RecordedEvent } from './operator.ts';

/** The checkpoints a session stopped at, in order, each with its answer; `moved` are answers to another question. */
export function gateWaits(
  events: readonly RecordedEvent[],
  moved: ReadonlySet<number> = new Set(),
): readonly GateWait[] {
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
      };
      waits[waits.length - 1] = { ...last, answered: { at, answer, ...who } };
    }
  }
  return waits;
}
