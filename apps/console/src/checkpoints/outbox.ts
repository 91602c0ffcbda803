import { useMemo, useState } from 'react';
import { callApi, errorMessage, RequestError, signInId } from '../api/client.ts';
import { createLocalStore, createStore, storedJson } from '../components/store.ts';
import type { CheckpointAnswered } from '../contract/index.ts';

/** How long an answer can be taken back before it is sent. */
const undoMs = 5000;
/** How long a message over the outcome stays. */
const messageMs = 6000;

/** An answer that a person gave on this page. */
export interface OutgoingAnswer {
  readonly sid: string;
  /** The revision of the question. */
  readonly revision: number;
  /** The name of the checkpoint and the title of its session. */
  readonly checkpoint: string;
  readonly session: string;
  readonly option: string;
  readonly label: string;
  readonly note: string;
  readonly isIrreversible: boolean;
  /** The sign-in in which it was given. It is never sent in another one unless a person says so. */
  readonly signIn: string;
  readonly state: AnswerState;
  /** The message about it was closed. The page of the checkpoint still shows the answer. */
  readonly isClosed?: true;
}

/** Returns what identifies a question: its session may reach the same checkpoint again. */
export function checkpointKey({ sid, revision }: Pick<OutgoingAnswer, 'sid' | 'revision'>): string {
  return `${sid} ${revision}`;
}

type AnswerState =
  /** It is sent at this time, in milliseconds since 1970, unless the person takes it back. */
  | { readonly kind: 'held'; readonly untilMs: number }
  | { readonly kind: 'sending' }
  | { readonly kind: 'sent'; readonly answered: CheckpointAnswered['answer'] }
  /** The server could not be reached. It is sent again when the person says so, or when the connection is back. */
  | { readonly kind: 'unreachable'; readonly message: string }
  /** Somebody else answered first. */
  | { readonly kind: 'conflict'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

type NewAnswer = Omit<OutgoingAnswer, 'signIn' | 'state' | 'isClosed'>;

/** A short message about the last answer. */
export type OutboxMessage =
  /** `key`: that of the checkpoint. */
  | { readonly kind: 'taken-back'; readonly key: string }
  | { readonly kind: 'already-sent'; readonly option: string };

const storageKey = 'workflowlookup.answers';
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const answers = createStore<readonly OutgoingAnswer[]>([]);
const shownMessage = createStore<OutboxMessage | undefined>(undefined);
let messageTimer: ReturnType<typeof setTimeout> | undefined;
let onSent: (sid: string) => void = () => undefined;

/** Holds an answer for a few seconds, then sends it. */
export function giveAnswer(answer: NewAnswer): void {
  const untilMs = Date.now() + undoMs;
  const held: OutgoingAnswer = { ...answer, signIn: signInId(), state: { kind: 'held', untilMs } };
  put(held);
  timers.set(
    checkpointKey(answer),
    setTimeout(() => (isOwn(held) ? void send(answer) : removeAnswer(answer)), undoMs),
  );
}

/** Takes an answer back that was not sent yet. Its option and its note stay in the form. */
export function takeBack(answer: OutgoingAnswer): void {
  stopTimer(answer);
  storeDraft(checkpointKey(answer), { option: answer.option, note: answer.note });
  if (answer.state.kind === 'held') showMessage({ kind: 'taken-back', key: checkpointKey(answer) });
  removeAnswer(answer);
}

/** Takes the last answer back, or says that it was already sent. */
export function takeLastBack(): void {
  const held = answers.get().findLast(({ state }) => state.kind === 'held');
  if (held !== undefined) return takeBack(held);
  const sent = answers.get().findLast(({ state }) => state.kind === 'sent' || state.kind === 'sending');
  if (sent !== undefined) showMessage({ kind: 'already-sent', option: sent.label });
}

/** Shows a message, or removes it if there is none. A message goes away by itself. */
export function showMessage(next?: OutboxMessage): void {
  clearTimeout(messageTimer);
  shownMessage.set(next);
  if (next !== undefined) messageTimer = setTimeout(showMessage, messageMs);
}

export const useOutboxMessage = shownMessage.useValue;

/** Sends an answer now: one that is held, or one that did not reach the server. */
export async function send(given: NewAnswer): Promise<void> {
  const answer = { ...given, signIn: signInId() };
  stopTimer(answer);
  put({ ...answer, state: { kind: 'sending' } });
  try {
    const { answer: answered } = await post(answer);
    const sent: OutgoingAnswer = { ...answer, state: { kind: 'sent', answered } };
    put(sent);
    setTimeout(() => closeAnswer(sent), messageMs);
  } catch (error) {
    put({ ...answer, state: failureOf(error) });
  }
  onSent(answer.sid);
}

/** Closes the message about an answer. */
export function closeAnswer(answer: OutgoingAnswer): void {
  if (answers.get().some((one) => isSame(one, answer))) put({ ...answer, isClosed: true });
}

/** Returns the answers that were given in this tab, in the order in which they were given. */
export const useOutbox = answers.useValue;

/**
 * Starts the outbox. A page that is closed sends what it holds, so that no answer is lost silently. An answer that was
 * on its way when the page was reloaded is sent again, because the same answer of the same person counts once. What the
 * storage has from another sign-in is dropped: another person, or a program that had this host and port before, may have
 * left it there.
 */
export function openOutbox(sent: (sid: string) => void): () => void {
  onSent = sent;
  for (const answer of storedAnswers())
    if (!answers.get().some((one) => isSame(one, answer))) void send(answer);
  globalThis.addEventListener('pagehide', sendHeld);
  return () => globalThis.removeEventListener('pagehide', sendHeld);
}

/** Sends the answers of this sign-in again that did not reach the server. */
export function sendUnreached(): void {
  for (const answer of answers.get())
    if (answer.state.kind === 'unreachable' && isOwn(answer)) void send(answer);
}

/** Sends now what is held, because its person signs out. */
export async function sendBeforeSignOut(): Promise<void> {
  await Promise.all(
    answers
      .get()
      .filter(({ state }) => state.kind === 'held')
      .map(send),
  );
}

function sendHeld(): void {
  for (const answer of answers.get()) {
    if (answer.state.kind !== 'held' || !isOwn(answer)) continue;
    stopTimer(answer);
    // The page is being closed, so nobody can read the response.
    post(answer, { keepalive: true }).catch(() => undefined);
    put({ ...answer, state: { kind: 'sending' } });
  }
}

function post(
  { sid, option, note, revision }: NewAnswer,
  more: { readonly keepalive?: true } = {},
): Promise<CheckpointAnswered> {
  const body = {
    mode: { kind: 'option', option },
    revision,
    ...(note.trim() && { note: note.trim() }),
  } as const;
  return callApi('POST /sessions/:sid/answer', { params: { sid }, body, ...more });
}

function failureOf(error: unknown): AnswerState {
  const message = errorMessage(error);
  if (!(error instanceof RequestError)) return { kind: 'refused', message };
  if (error.status === 0 || error.status === 503) return { kind: 'unreachable', message };
  return { kind: error.code === 'SESSION_CONFLICT' ? 'conflict' : 'refused', message };
}

function stopTimer(answer: NewAnswer): void {
  clearTimeout(timers.get(checkpointKey(answer)));
  timers.delete(checkpointKey(answer));
}

function put(answer: OutgoingAnswer): void {
  const isKnown = answers.get().some((one) => isSame(one, answer));
  change(
    isKnown ? answers.get().map((one) => (isSame(one, answer) ? answer : one)) : [...answers.get(), answer],
  );
}

/** Removes an answer that was taken back, or whose outcome the person has seen. */
export function removeAnswer(answer: NewAnswer): void {
  change(answers.get().filter((one) => !isSame(one, answer)));
}

function isOwn({ signIn }: OutgoingAnswer): boolean {
  return signIn !== '' && signIn === signInId();
}

function isSame(one: NewAnswer, other: NewAnswer): boolean {
  return checkpointKey(one) === checkpointKey(other);
}

function change(next: readonly OutgoingAnswer[]): void {
  answers.set(next);
  const unsent = next.filter(({ state }) => ['held', 'sending', 'unreachable'].includes(state.kind));
  sessionStorage.setItem(storageKey, JSON.stringify(unsent));
}

function storedAnswers(): readonly OutgoingAnswer[] {
  const stored = storedJson(sessionStorage, storageKey);
  return Array.isArray(stored) ? (stored as readonly OutgoingAnswer[]).filter(isOwn) : [];
}

/** What a person has begun to answer: it survives a reload. */
interface Draft {
  readonly option?: string;
  readonly note: string;
}

const draftsKey = 'workflowlookup.drafts';
/** Older drafts are dropped. */
const mostDrafts = 100;
const empty: Draft = { note: '' };
const drafts = createLocalStore(draftsKey, (found) => (found ?? {}) as Readonly<Record<string, Draft>>);

/** Returns the draft for a question, and a function that changes it. */
export function useDraft(key: string): readonly [Draft, (draft: Draft) => void] {
  const [draft, setDraft] = useState(() => drafts.get()[key] ?? empty);
  return [
    draft,
    (next) => {
      setDraft(next);
      storeDraft(key, next);
    },
  ];
}

/** Returns the keys of the questions for which this browser has a draft. */
export function useDraftKeys(): ReadonlySet<string> {
  const all = drafts.useValue();
  return useMemo(() => new Set(Object.keys(all)), [all]);
}

export function dropDraft(key: string): void {
  storeDraft(key, empty);
}

function storeDraft(key: string, draft: Draft): void {
  const { [key]: _old, ...others } = drafts.get();
  const isEmpty = draft.note === '' && draft.option === undefined;
  const entries = Object.entries(isEmpty ? others : { ...others, [key]: draft }).slice(-mostDrafts);
  drafts.set(Object.fromEntries(entries));
}
