import type { ReactNode } from 'react';
import { DataTable } from '../components/lists.tsx';
import { Moment, TimeSince } from '../components/time.tsx';
import { nameColumn, valueColumn } from '../components/values.tsx';
import type { SessionDetail, WaitingCheckpoint } from '../contract/index.ts';
import {
  answeredBy,
  answerOrigin,
  checkpointMessages,
  isForAgent,
  valueOrigin,
} from '../messages/checkpoints.ts';

type Question = WaitingCheckpoint['question'];
type Answered = NonNullable<SessionDetail['history']['checkpoints'][number]['answered']>;
type Parts = Question['parts']['message'];

const { question: messages } = checkpointMessages;

/** Renders a text of a question. Values that do not come from the workflow are marked with their origin. */
export function QuestionText({
  parts,
  values,
}: {
  readonly parts: Parts;
  readonly values: Question['values'];
}): ReactNode {
  const byName = new Map(values.map((value) => [value.name, value]));
  // The index is a stable key, because the parts of a text never change their order.
  return parts.map((part, at) => {
    if (typeof part === 'string') return part;
    const value = byName.get(part.variable);
    if (value?.isFromWorkflow === true) return part.text;
    return (
      <mark key={`${at} ${part.variable}`} className="not-from-workflow">
        <q>{part.text}</q>
        <small> ({value === undefined ? valueOrigin({ by: 'unknown' }) : valueOrigin(value)})</small>
      </mark>
    );
  });
}

/** Returns a text of a question on one line, without marks. */
export function plainText(parts: Parts): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('')
    .replaceAll(/\s+/g, ' ');
}

/** Renders the note of an answer. What an agent passed on is marked, because the agent may have worded it. */
export function AnswerNote({ by, note }: { readonly by: string; readonly note?: string }): ReactNode {
  if (note === undefined) return null;
  return (
    <>
      {by === 'agent' && <p className="small muted">{checkpointMessages.answer.relayed}</p>}
      <blockquote className="note">{note}</blockquote>
    </>
  );
}

/** Says who answered and when, and how far the server knows that person. */
export function AnsweredBy({ answered }: { readonly answered: Answered }): ReactNode {
  return (
    <>
      <p className="small">
        {checkpointMessages.answered.by(answeredBy(answered))}
        <Moment at={answered.at} />
      </p>
      {answered.origin !== undefined && <p className="small muted">{answerOrigin(answered.origin)}</p>}
    </>
  );
}

/** Says whether the agent has a person's answer and, if not, when it last called; or nothing if the answer came through the agent. */
export function AnswerReceipt({
  answered,
  lastCallAt,
}: {
  readonly answered: Pick<Answered, 'by' | 'origin' | 'receivedAt'>;
  readonly lastCallAt: string | undefined;
}): ReactNode {
  if (!isForAgent(answered)) return null;
  const { receivedAt } = answered;
  return (
    <p className="small muted">
      {receivedAt === undefined ? (
        <>
          {checkpointMessages.answer.notReceived}{' '}
          {lastCallAt !== undefined && (
            <span>
              {checkpointMessages.answer.lastCall}
              <TimeSince at={lastCallAt} />.
            </span>
          )}
        </>
      ) : (
        <>
          {checkpointMessages.answer.received}
          <Moment at={receivedAt} />
        </>
      )}
    </p>
  );
}

/** Renders a table of the values in a question and their origin, or nothing if the question has no values. */
export function QuestionValues({ values }: { readonly values: Question['values'] }): ReactNode {
  if (values.length === 0) return null;
  return (
    <details>
      <summary>{messages.values}</summary>
      <DataTable
        label={messages.values}
        rows={values}
        keyOf={({ name }) => name}
        columns={[
          nameColumn(messages.columns.variable),
          valueColumn(messages.columns.value),
          { name: messages.columns.origin, cell: valueOrigin },
        ]}
      />
    </details>
  );
}
