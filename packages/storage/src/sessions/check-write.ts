import { WorkflowError } from '@workflowlookup/schema';
import type { JournalHead, NewSession, SessionWrite } from '../session-store.ts';
import { emptyJournal } from './seal-events.ts';

const sidPattern = /^[!-~]{1,128}$/;
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Whether a session may have this id; there is none with another. */
export function isSid(sid: string): boolean {
  return sidPattern.test(sid);
}

/** Whether every database keeps this text as it is: no NUL, no half of a surrogate pair. */
export function isPlainText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

/** Refuses a new session that not every database could keep. */
export function checkNewSession(session: NewSession, write: SessionWrite): void {
  if (!isSid(session.sid)) refuse('a session id is 1 to 128 printable ASCII characters');
  checkTexts(session);
  checkWrite(emptyJournal, write);
}

/** Refuses events that are not one run of sealed events after a revision; whether the run fits the journal is the store's to see. */
export function checkWrite({ revision }: Pick<JournalHead, 'revision'>, write: SessionWrite): void {
  const { events, snapshot, command, blobs = [] } = write;
  if (events.length === 0) refuse('a write has at least one event');
  for (const [index, event] of events.entries()) {
    if (event.revision !== revision + index + 1)
      refuse(`revision ${revision + index + 1} comes next, not ${event.revision}`);
    if (index > 0 && event.prevHash !== events[index - 1]?.hash)
      refuse(`event ${event.revision} is not sealed onto the one before`);
    checkTime(event.at);
    checkTexts({ type: event.type, hash: event.hash });
  }
  if (snapshot !== undefined && !(snapshot.revision >= 0 && snapshot.revision <= revision + events.length))
    refuse(`a snapshot of revision ${snapshot.revision} is ahead of its journal`);
  if (command !== undefined) checkTexts({ key: command.key });
  checkTexts({ ...blobs });
}

/** Refuses a time in another form than that of events: the order of times is the order of their texts. */
export function checkTime(time: string): void {
  if (!timePattern.test(time)) refuse(`a time is written as 2026-01-31T12:00:00.000Z, not '${time}'`);
}

/** Refuses texts that not every database would keep or compare as they are. */
export function checkTexts(texts: object): void {
  for (const [field, text] of Object.entries(texts))
    if (typeof text === 'string' && !isPlainText(text))
      refuse(`${field} holds a NUL character or half of a surrogate pair`);
}

function refuse(what: string): never {
  throw new WorkflowError('INVALID_PARAMS', `The session store refuses this: ${what}.`);
}
