import type { JsonObject } from '@workflowlookup/schema';
import type {
  JournalHead,
  SessionQuery,
  SessionStatusWord,
  SessionStore,
  SessionWrite,
} from '@workflowlookup/storage';
import { emptyJournal } from '@workflowlookup/storage/journal';
import { newSession, sealed } from '../../support/sessions.ts';

/** A call to a store. The results are compared between stores. */
type Step = (store: SessionStore) => Promise<unknown>;

/** A sequence of calls about these sessions. */
export interface Trace {
  readonly sids: readonly string[];
  readonly steps: readonly Step[];
}

const statuses: readonly SessionStatusWord[] = ['active', 'blocked', 'completed'];
const texts = ['', 'plain', 'a\0b \ud800', '\u{1F600} \ufffd', 'É é ß', '"\\\u2028', '$1 ? %'];
const names = ['ann', 'Bob', 'bob', 'Ünal', '\u{1F600}', '\uffee'];

/** Makes random calls on three new sessions: writes that succeed, writes that conflict, and everything else. */
export function randomTrace(prefix: string, length: number): Trace {
  const heads = new Map<string, JournalHead>();
  const sids = ['a', 'B', 'c'].map((name) => `${prefix}-${name}`);
  const steps: Step[] = [(store) => store.putDefinition('definition', { id: 'review' })];
  for (const sid of sids) {
    const events = sealed(sid, emptyJournal, [{ sid }]);
    const session = { ...newSession(sid), principal: oneOf(names), project: oneOf(names) };
    steps.push((store) => store.create(session, { events }));
    heads.set(sid, events.at(-1) ?? emptyJournal);
  }
  for (let n = 0; n < length; n += 1) steps.push(randomStep(oneOf(sids), heads));
  return { sids, steps };
}

/** Makes the calls of a trace and returns their results. */
export async function replay(store: SessionStore, { steps }: Trace): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  for (const step of steps) answers.push(await step(store));
  return answers;
}

function randomStep(sid: string, heads: Map<string, JournalHead>): Step {
  const name = oneOf(names);
  const agent = 1 + below(2);
  const data = { text: oneOf(texts), number: below(1_000) / 7 };
  const query = randomQuery(sid);
  const digests = names.slice(below(3), 3 + below(4));
  return oneOf<Step>([
    randomWrite(sid, heads),
    randomWrite(sid, heads),
    randomWrite(sid, heads),
    (store) => store.load(sid),
    (store) => store.events(sid, { after: agent, limit: 3 }),
    (store) => store.find(query, { limit: agent }),
    (store) => store.recordCall(sid, data),
    (store) => store.calls(sid, { after: 1, limit: 2 }),
    (store) => store.joinAgent(sid, name),
    (store) => store.agents(sid),
    (store) => store.markDelivered(sid, agent, digests),
    (store) => store.delivered(sid, agent),
    (store) => store.resetDelivered(sid, agent),
    (store) => store.recorded(sid, `key-${agent}`),
    (store) => store.putBlob(data),
  ]);
}

/** Makes a write at the head or one that is too late, with everything that a write can contain. */
function randomWrite(sid: string, heads: Map<string, JournalHead>): Step {
  const head = heads.get(sid) ?? emptyJournal;
  const data: JsonObject[] = Array.from({ length: 1 + below(3) }, () => ({
    text: oneOf(texts),
    n: below(9),
  }));
  const isLate = below(4) === 0;
  const from = isLate ? { revision: head.revision, hash: 'another' } : head;
  const events = sealed(sid, from, data);
  const last = events.at(-1) ?? head;
  const blob = { text: oneOf(texts).repeat(2) };
  const write: SessionWrite = {
    events,
    ...(below(2) === 0 && { status: oneOf(statuses) }),
    ...(below(2) === 0 && { snapshot: { revision: last.revision, state: { text: oneOf(texts) } } }),
    ...(below(2) === 0 && { command: { key: `key-${last.revision}`, result: { text: oneOf(texts) } } }),
  };
  if (!isLate) heads.set(sid, last);
  return async (store) => {
    const digest = await store.putBlob(blob);
    return store.append(sid, from.revision, { ...write, blobs: [digest] });
  };
}

function randomQuery(sid: string): SessionQuery {
  return {
    ...(below(2) === 0 && { text: oneOf(['ANN', 'b', 'é', '\u{1F600}', sid.toUpperCase()]) }),
    ...(below(2) === 0 && { statuses: statuses.slice(below(3)) }),
    ...(below(4) === 0 && { principal: oneOf(names) }),
  };
}

function below(bound: number): number {
  return Math.floor(Math.random() * bound);
}

function oneOf<T>(list: readonly T[]): T {
  const one = list[below(list.length)];
  if (one === undefined) throw new Error('the list is empty');
  return one;
}
