import type { SessionStore } from '@workflowlookup/storage';
import type { AnsweredCheckpoint, GivenAnswer, SessionState } from '../session/session-state.ts';
import { eventOf } from './open-session.ts';

/** An answer is found by its place in the journal, because a session may ask the same checkpoint many times. */
type AnswerKey = Pick<AnsweredCheckpoint, 'checkpoint' | 'activity' | 'at'>;

/** Events that are read at a time. The answer that is looked for is nearly always among the latest. */
const pageSize = 100;

/** Returns what the journal has of answers of a session. An answer that is not found is left out. */
export async function givenAnswers(
  store: SessionStore,
  { sid, revision }: Pick<SessionState, 'sid' | 'revision'>,
  answers: readonly AnswerKey[],
): Promise<ReadonlyMap<AnswerKey, GivenAnswer>> {
  const found = new Map<AnswerKey, GivenAnswer>();
  for (let end = revision; end > 0 && found.size < answers.length; end -= pageSize) {
    const after = Math.max(0, end - pageSize);
    const events = await store.events(sid, { after, limit: end - after });
    for (const kept of events) {
      const event = eventOf(kept);
      if (event.type !== 'checkpoint-answered') continue;
      const key = answers.find(
        ({ checkpoint, activity, at }) =>
          checkpoint === event.checkpoint && activity === event.activity && at === kept.at,
      );
      if (key === undefined) continue;
      const { by, person, note, effect, origin } = event;
      const byPerson = by === 'human' ? 'person' : 'user';
      found.set(key, {
        answeredBy: origin?.channel === 'autonomy' ? 'server' : byPerson,
        ...(person === undefined ? {} : { person }),
        ...(note === undefined ? {} : by === 'human' ? { note } : { relayedNote: note }),
        ...(effect === undefined ? {} : { effect }),
      });
    }
  }
  return found;
}
