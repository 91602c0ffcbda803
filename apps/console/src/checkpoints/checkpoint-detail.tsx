import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { RequestError } from '../api/client.ts';
import { checkpointQuery, sessionQuery, refusedCallsQuery } from '../api/queries.ts';
import { CopyButton } from '../components/controls.tsx';
import { FactGrid, ListNotice } from '../components/lists.tsx';
import { Loaded, EmptyState } from '../components/notice.tsx';
import { AuthenticityTags, sessionTitle, Tag, SessionLink } from '../components/tags.tsx';
import { TimeSince, Moment } from '../components/time.tsx';
import type { WaitingCheckpoint } from '../contract/index.ts';
import { answeredBy, answerText, checkpointMessages } from '../messages/checkpoints.ts';
import { sessionNames, nameOf } from '../sessions/session-names.ts';
import { refusalText } from '../sessions/timeline-entries.ts';
import { AnswerForm } from './answer-form.tsx';
import { EvidenceSections } from './evidence.tsx';
import { checkpointKey } from './outbox.ts';
import { AnswerStatus, useAnswer, useFocusAfterForm, useShownInline } from './outbox-bar.tsx';
import { AnsweredBy, AnswerNote, QuestionText, QuestionValues } from './question-text.tsx';

const {
  detail: messages,
  answer: answerTexts,
  evidence: evidenceTexts,
  outbox: outboxTexts,
  refused: refusedTexts,
  review: noticeTexts,
} = checkpointMessages;

/** Renders a checkpoint: its question, what there is to judge it by, and the answer. */
export function CheckpointDetail({
  sid,
  revision,
  isGone = false,
}: {
  readonly sid: string;
  /** The revision of the question. The content never changes for one revision. */
  readonly revision: number;
  /** It no longer waits, because somebody answered it or its session ended. */
  readonly isGone?: boolean;
}): ReactNode {
  const query = useQuery(checkpointQuery(sid, revision));
  const { data, error } = query;
  const isOther = data !== undefined && data.question.revision !== revision;
  const isMissing = error instanceof RequestError && error.status === 404;
  if (isOther || (isMissing && data === undefined))
    return (
      <EmptyState title={answerTexts.elsewhere}>
        <SessionLink sid={sid}>{messages.session}</SessionLink>
      </EmptyState>
    );
  return <Loaded query={query}>{(found) => <Detail checkpoint={found} isGone={isGone} />}</Loaded>;
}

interface DetailProps {
  readonly checkpoint: WaitingCheckpoint;
  readonly isGone: boolean;
}

function Detail({ checkpoint, isGone }: DetailProps): ReactNode {
  const heading = useId();
  const { question, earlier } = checkpoint;
  const { parts, values } = question;
  const isAnswered = useAnswer(checkpointKey(question))?.state.kind === 'sent';
  return (
    <article className="checkpoint" aria-labelledby={heading}>
      <div className="checkpoint-body focus-inside" tabIndex={0} role="group" aria-labelledby={heading}>
        <DetailHead checkpoint={checkpoint} heading={heading} isGone={isGone} />
        <p className="checkpoint-message">
          <QuestionText parts={parts.message} values={values} />
        </p>
        <QuestionValues values={values} />
        <ReviewNotices {...question} />
        <EarlierAnswers earlier={earlier} question={question} />
        <EvidenceSections checkpoint={checkpoint} />
      </div>
      <RefusedCallsNotice checkpoint={checkpoint} isOpen={!isGone && !isAnswered} />
      <AnswerArea checkpoint={checkpoint} isGone={isGone} />
    </article>
  );
}

function DetailHead({
  checkpoint: { session, question, names, lastCallAt },
  heading,
  isGone,
}: DetailProps & { readonly heading: string }): ReactNode {
  const { sid, revision, activity, definition, parts, values, yieldedAt } = question;
  const given = useAnswer(checkpointKey({ sid, revision }));
  const isSent = given?.state.kind === 'sent';
  return (
    <header className="stack-tight">
      <div className="row-apart">
        <h2 id={heading}>
          <QuestionText parts={parts.name} values={values} />
        </h2>
        <span className="row small muted">
          <AuthenticityTags session={session} />
          {(isSent || isGone) && (
            <Tag tone="planned">{messages.answered(isSent ? given.label : undefined)}</Tag>
          )}
          {!isSent && !isGone && question.answeredBy === 'person' && (
            <Tag tone="waits">{messages.needsPerson}</Tag>
          )}
          <span>
            {messages.asked} <TimeSince at={yieldedAt} />
          </span>
        </span>
      </div>
      <p className="small muted">
        <SessionLink sid={sid}>{sessionTitle(session)}</SessionLink>
        {messages.activity(nameOf(names, activity))}
        {messages.agent(session.agent)}
        {lastCallAt !== undefined && (
          <>
            {messages.lastCall}
            <TimeSince at={lastCallAt} />
          </>
        )}
      </p>
      {!isSent && !isGone && <p className="small muted">{messages.mayAnswer[question.answeredBy]}</p>}
      <details className="checkpoint-origin">
        <summary>{messages.origin}</summary>
        <FactGrid
          className="small"
          facts={{
            [messages.definition]: (
              <>
                <code title={definition.digest}>{definition.digest.slice(0, 23)}</code>
                {definition.source !== undefined && messages.source(definition.source)}
              </>
            ),
            [messages.sessionId]: <code>{sid}</code>,
            [messages.folder]: session.project && (
              <>
                <code>{session.project}</code>{' '}
                <CopyButton text={session.project} label={messages.copyFolder} />
              </>
            ),
          }}
        />
      </details>
    </header>
  );
}

/**
 * Renders the calls that were refused before a question or while it waits. It has a row of its own between the question
 * and the options: if a call is refused while somebody reads or writes, neither of them moves. Later refusals only change
 * the number, because new lines would move the others.
 */
function RefusedCallsNotice({
  checkpoint,
  isOpen,
}: {
  readonly checkpoint: WaitingCheckpoint;
  /** Whether the question still waits, so that more calls may be refused. */
  readonly isOpen: boolean;
}): ReactNode {
  const { data: refused } = useQuery({ ...refusedCallsQuery(checkpoint), enabled: isOpen });
  const [first, setFirst] = useState(refused);
  const title = useId();
  if (first === null && refused !== null) setFirst(refused);
  if (refused === null || first === null) return null;
  const { question, names } = checkpoint;
  return (
    <div className="refused-calls small" role="group" aria-labelledby={title}>
      <TriangleAlert size={16} aria-hidden />
      <div>
        <p className="row-apart">
          <strong id={title} role="status">
            {refusedTexts.title(refused.count)}
          </strong>
          <SessionLink sid={question.sid} search={{ tab: 'timeline', show: 'refused' }}>
            {refusedTexts.timeline}
          </SessionLink>
        </p>
        <ul>
          {first.calls.map((call) => (
            // The timeline has the whole reason.
            <li key={call.spanId} className="clamped">
              {refusalText(call, { activity: (id) => nameOf(names, id) })}
            </li>
          ))}
        </ul>
        {first.count > first.calls.length && (
          <p className="muted">{refusedTexts.more(first.count - first.calls.length)}</p>
        )}
      </div>
    </div>
  );
}

function AnswerArea({ checkpoint, isGone }: DetailProps): ReactNode {
  const { sid, revision } = checkpoint.question;
  const key = checkpointKey({ sid, revision });
  const answer = useAnswer(key);
  useShownInline(key);
  if (answer !== undefined) return <AnswerStatus answer={answer} />;
  if (isGone) return <GoneNotice sid={sid} revision={revision} />;
  return <AnswerForm key={key} checkpoint={checkpoint} />;
}

/** Shows the answer if the session already has it. */
function GoneNotice({ sid, revision }: { readonly sid: string; readonly revision: number }): ReactNode {
  const session = useQuery(sessionQuery(sid)).data;
  const wait = session?.history.checkpoints.find((checkpoint) => checkpoint.revision === revision);
  const answered = wait?.answered;
  const area = useFocusAfterForm<HTMLDivElement>();
  return (
    <div className="answer stack" ref={area} tabIndex={-1} role="status">
      <p>
        {session === undefined || wait === undefined || answered === undefined
          ? answerTexts.elsewhere
          : outboxTexts.states.sent(
              answerText(answered.answer, sessionNames(session.outline).options(wait.checkpoint)),
            )}{' '}
        <SessionLink sid={sid}>{messages.session}</SessionLink>
      </p>
      {answered !== undefined && <AnsweredBy answered={answered} />}
    </div>
  );
}

type Question = WaitingCheckpoint['question'];

/**
 * Renders the checkpoints that nobody was asked about, for review, and the steps that were not done, because everyone who
 * decides must know of them.
 */
export function ReviewNotices({ taken = [], notDone = [] }: Pick<Question, 'taken' | 'notDone'>): ReactNode {
  return (
    <>
      <ListNotice
        tone="waits"
        title={noticeTexts.taken(taken.length)}
        lines={taken.map((one) => noticeTexts.takenCheckpoint(one.activity, one.checkpoint, one.option))}
      />
      <ListNotice
        tone="waits"
        title={noticeTexts.notDone(notDone.length)}
        lines={notDone.map(({ activity, step, reason, hasOutput }) =>
          noticeTexts.notDoneStep(activity, step, { reason, isDone: hasOutput === true }),
        )}
      />
    </>
  );
}

/** Renders what was answered before to the same checkpoint of the session, or nothing the first time. */
function EarlierAnswers({ earlier, question }: Pick<WaitingCheckpoint, 'earlier' | 'question'>): ReactNode {
  const last = earlier.at(-1)?.answered;
  if (last === undefined || last.answer.kind === 'dismissed') return null;
  const { option: id } = last.answer;
  const label = question.checkpoint.options.find((option) => option.id === id)?.label ?? id;
  return (
    <div className="earlier stack-tight">
      <p className="small">
        {evidenceTexts.earlier(answeredBy(last), label, earlier.length)} <Moment at={last.at} />
      </p>
      <AnswerNote {...last} />
    </div>
  );
}
