import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, Hourglass, Send } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';
import { SessionLink } from '../components/tags.tsx';
import { createStore } from '../components/store.ts';
import { Button } from '../components/controls.tsx';
import { sessionQuery } from '../api/queries.ts';
import type { SessionDetail } from '../contract/index.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';
import { useConnection } from '../shell/page.tsx';
import { useShortcuts } from '../shell/shortcuts.tsx';
import {
  checkpointKey,
  closeAnswer,
  dropDraft,
  openOutbox,
  removeAnswer,
  send,
  sendUnreached,
  showMessage,
  takeBack,
  takeLastBack,
  useOutbox,
  useOutboxMessage,
} from './outbox.ts';
import type { OutboxMessage, OutgoingAnswer } from './outbox.ts';
import { AnsweredBy, AnswerReceipt } from './question-text.tsx';

type CheckpointWait = SessionDetail['history']['checkpoints'][number];

const { outbox: messages, keys } = checkpointMessages;

/** Returns the answer to a checkpoint that was given in this tab, if there is one. */
export function useAnswer(key: string): OutgoingAnswer | undefined {
  return useOutbox().find((one) => checkpointKey(one) === key);
}

/** The keys of the checkpoints whose answers the page shows itself. */
const inline = createStore<readonly string[]>([]);

/** Says that the page shows the state of an answer itself, so that the bar doesn't show it too. */
export function useShownInline(key: string): void {
  useEffect(() => {
    inline.set([...inline.get(), key]);
    return () => inline.set(inline.get().filter((one) => one !== key));
  }, [key]);
}

/**
 * Sends the answers that were given in this tab, and shows those that the page itself doesn't show. It has a place of
 * its own beside the page, so that it covers nothing and nothing moves.
 */
export function OutboxBar(): ReactNode {
  const client = useQueryClient();
  useEffect(
    () =>
      openOutbox((sid) => {
        void client.invalidateQueries({ queryKey: ['checkpoints'] });
        void client.invalidateQueries({ queryKey: ['session', sid] });
        void client.invalidateQueries({ queryKey: ['events', sid] });
      }),
    [client],
  );
  const connection = useConnection();
  useEffect(() => {
    if (connection === 'live') sendUnreached();
  }, [connection]);
  const answers = useOutbox();
  const shownInline = inline.useValue();
  const shown = answers.filter((one) => one.isClosed !== true && !shownInline.includes(checkpointKey(one)));
  const last = useOutboxMessage();
  const message = last?.kind === 'taken-back' && shownInline.includes(last.key) ? undefined : last;
  useShortcuts(keys.answer, [{ keys: 'u', label: keys.takeBack, run: takeLastBack }]);
  return (
    <div className="outbox" role="region" aria-label={messages.title}>
      <div role="status">{message !== undefined && <ShortMessage message={message} />}</div>
      {shown.map((answer) => (
        <div key={checkpointKey(answer)} className="outbox-item">
          <AnswerState answer={answer} isNamed />
        </div>
      ))}
    </div>
  );
}

function ShortMessage({ message }: { readonly message: OutboxMessage }): ReactNode {
  return (
    <div className="outbox-item stack-tight">
      <strong>
        {message.kind === 'taken-back' ? messages.takenBack : messages.alreadySent(message.option)}
      </strong>
      <div>
        <Button look="quiet" onClick={() => showMessage()}>
          {messages.close}
        </Button>
      </div>
    </div>
  );
}

/** Returns a ref for an element that takes the focus when it replaces a form that had it. */
export function useFocusAfterForm<Area extends HTMLElement>(): RefObject<Area | null> {
  const area = useRef<Area>(null);
  useEffect(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body)
      area.current?.focus({ preventScroll: true });
  }, []);
  return area;
}

/** Renders the state of an answer in place of the form that gave it. It takes the focus from the form. */
export function AnswerStatus({ answer }: { readonly answer: OutgoingAnswer }): ReactNode {
  const area = useFocusAfterForm<HTMLDivElement>();
  return (
    <div className="answer stack" ref={area} tabIndex={-1}>
      <AnswerState answer={answer} />
    </div>
  );
}

const looks = {
  held: { icon: Hourglass, tone: 'waits' },
  sending: { icon: Hourglass, tone: 'waits' },
  // An answer may also stop a session or send it back, so it has no sign of success.
  sent: { icon: Send, tone: 'planned' },
  unreachable: { icon: CircleAlert, tone: 'refused' },
  conflict: { icon: CircleAlert, tone: 'waits' },
  refused: { icon: CircleAlert, tone: 'refused' },
} as const;

function AnswerState({
  answer,
  isNamed = false,
}: {
  readonly answer: OutgoingAnswer;
  /** Whether it says which checkpoint it is about. */
  readonly isNamed?: boolean;
}): ReactNode {
  const { state, sid } = answer;
  const { kind } = state;
  const { icon: Icon, tone } = looks[kind];
  useEffect(() => {
    if (kind === 'sent') dropDraft(checkpointKey(answer));
  }, [kind, answer]);
  return (
    <div className="answer-state" data-tone={tone}>
      <Icon size={18} aria-hidden />
      <div className="stack-tight">
        {isNamed && (
          <Link to="/checkpoints" search={{ sid }} className="small">
            {answer.session}: {answer.checkpoint}
          </Link>
        )}
        <strong role="status">{messages.states[kind](answer.label)}</strong>
        {state.kind === 'held' && <Countdown untilMs={state.untilMs} />}
        {'message' in state && <span>{state.message}</span>}
        {answer.isIrreversible && (kind === 'held' || kind === 'sent') && (
          <span className="warns">{messages.irreversible[kind]}</span>
        )}
        {answer.note.trim() !== '' && (
          <span className="small muted">{messages.note(answer.note.trim())}</span>
        )}
        {state.kind === 'sent' && state.answered.kind === 'dismissed' && <span>{messages.dismissed}</span>}
        {kind === 'sent' && <SentReceipt sid={sid} revision={answer.revision} isShort={isNamed} />}
      </div>
      <div className="row">
        {kind === 'held' && (
          <>
            <Button onClick={() => takeBack(answer)}>{messages.takeBack}</Button>
            <Button look="quiet" onClick={() => void send(answer)}>
              {messages.sendNow}
            </Button>
          </>
        )}
        {kind === 'unreachable' && (
          <>
            <Button onClick={() => void send(answer)}>{messages.retry}</Button>
            <Button look="quiet" onClick={() => takeBack(answer)}>
              {messages.discard}
            </Button>
          </>
        )}
        {kind === 'refused' && <Button onClick={() => removeAnswer(answer)}>{messages.again}</Button>}
        {(kind === 'sent' || kind === 'conflict') && (
          <>
            <SessionLink className="button button-quiet" sid={sid}>
              {messages.session}
            </SessionLink>
            {isNamed && (
              <Button look="quiet" onClick={() => closeAnswer(answer)}>
                {messages.close}
              </Button>
            )}
          </>
        )}
      </div>
    </div>
  );
}

/**
 * How often to ask whether the agent has the answer. Delivery changes no journal, so the change stream does not report
 * it.
 */
const lookEveryMs = 10_000;

/** Says who gave the answer that was sent, and whether the agent has it. */
function SentReceipt({
  sid,
  revision,
  isShort,
}: {
  readonly sid: string;
  readonly revision: number;
  /** Without the person, who has just answered. */
  readonly isShort: boolean;
}): ReactNode {
  const answeredIn = (session: SessionDetail | undefined): CheckpointWait['answered'] =>
    session?.history.checkpoints.find((wait) => wait.revision === revision)?.answered;
  const { data } = useQuery({
    ...sessionQuery(sid),
    refetchInterval: ({ state }) => {
      const isDone = state.data?.row.ended !== undefined || answeredIn(state.data)?.receivedAt !== undefined;
      return isDone ? false : lookEveryMs;
    },
  });
  const answered = answeredIn(data);
  return (
    <>
      {answered !== undefined && !isShort && <AnsweredBy answered={answered} />}
      <AnswerReceipt answered={answered ?? { by: 'human' }} lastCallAt={data?.history.lastCallAt} />
    </>
  );
}

/** Counts down to the time at which an answer is sent. */
function Countdown({ untilMs }: { readonly untilMs: number }): ReactNode {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((untilMs - nowMs) / 1000));
  // Screen readers already announced that the answer can be taken back. They don't need the countdown.
  return (
    <span className="small muted countdown" aria-hidden>
      {messages.sentIn(seconds)}
    </span>
  );
}
