import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { callApi, errorMessage, RequestError } from '../api/client.ts';
import { ScrollTable } from '../components/lists.tsx';
import { Notice } from '../components/notice.tsx';
import { AuthenticityTags, sessionTitle, Tag } from '../components/tags.tsx';
import { TimeSince } from '../components/time.tsx';
import { OutputView, VariableChangesTable, VariableRow } from '../components/values.tsx';
import type { Evidence, SessionDetail, WaitingCheckpoint } from '../contract.ts';
import { checkpointMessages, effectSentences, valueOrigin } from '../messages/checkpoints.ts';
import { useMe } from '../shell/page.tsx';
import type { ClosedCheckpoint } from './closed-checkpoints.tsx';
import { answeredText } from './closed-checkpoints.tsx';

const { card: messages, evidence: evidenceTexts } = checkpointMessages;

/** Renders a checkpoint that needs an answer: its question, the evidence and the options. */
export function CheckpointCard({
  checkpoint,
  onClosed,
}: {
  readonly checkpoint: WaitingCheckpoint;
  readonly onClosed: (closed: ClosedCheckpoint) => void;
}): ReactNode {
  const heading = useId();
  const { run, question, evidence, isShortened = false } = checkpoint;
  const { activity, definition, parts, values, yieldedAt, needsHuman } = question;
  return (
    <article className="card gate" aria-labelledby={heading}>
      <header className="stack-tight">
        <div className="row-apart">
          <h2 id={heading}>
            <QuestionText parts={parts.name} values={values} />
          </h2>
          <span className="row small muted">
            <AuthenticityTags run={run} />
            {needsHuman && <Tag tone="waits">{messages.needsPerson}</Tag>}
            <span>
              {messages.asked} <TimeSince at={yieldedAt} />
            </span>
          </span>
        </div>
        <p className="small muted">
          <Link to="/runs/$sid" params={{ sid: run.sid }}>
            {sessionTitle(run)}
          </Link>
          {messages.in}
          <code>{activity}</code>
          {messages.agent(run.agent)}
        </p>
        <p className="small muted">
          {messages.definition}
          <code title={definition.digest}>{definition.digest.slice(0, 23)}</code>
          {definition.source !== undefined && messages.source(definition.source)}
        </p>
      </header>
      <p className="gate-message">
        <QuestionText parts={parts.message} values={values} />
      </p>
      <QuestionValues values={values} />
      {isShortened ? (
        <p>
          <Link to="/runs/$sid" params={{ sid: run.sid }}>
            {messages.cutOff}
          </Link>
        </p>
      ) : (
        <AnswerForm checkpoint={checkpoint} onClosed={onClosed} />
      )}
      <EvidenceList evidence={evidence} />
    </article>
  );
}

/** Renders the last outputs and the last changes of variables. */
function EvidenceList({ evidence: { outputs, variables } }: { readonly evidence: Evidence }): ReactNode {
  if (outputs.length === 0 && variables.length === 0)
    return <p className="small muted">{evidenceTexts.none}</p>;
  return (
    <div className="evidence stack">
      {outputs.map((output, at) => (
        <details key={`${output.revision} ${output.step}`} open={at === 0}>
          <summary>
            {evidenceTexts.outputOf}
            <code>{output.step}</code>
          </summary>
          <OutputView output={output} />
        </details>
      ))}
      {variables.length > 0 && (
        <details>
          <summary>{evidenceTexts.variables}</summary>
          <VariableChangesTable changes={variables} />
        </details>
      )}
    </div>
  );
}

const mostOutputs = 5;
const mostVariables = 20;

/** Returns the evidence for a session's checkpoint as the list of checkpoints has it, but with longer outputs. */
export function evidenceOf({
  outputs,
  story: { variables },
}: Pick<SessionDetail, 'outputs' | 'story'>): Evidence {
  return {
    outputs: outputs.slice(-mostOutputs).toReversed(),
    variables: variables.slice(-mostVariables).toReversed(),
  };
}

const { question } = checkpointMessages;

type Question = WaitingCheckpoint['question'];

/** Renders a text of a question. Values that do not come from the workflow are marked with their origin. */
function QuestionText({
  parts,
  values,
}: {
  readonly parts: Question['parts']['message'];
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
        <small>{value === undefined ? valueOrigin({ by: 'unknown' }) : valueOrigin(value)}: </small>
        <q>{part.text}</q>
      </mark>
    );
  });
}

/** Renders a table of the values in a question and their origin, or nothing if the question has no values. */
function QuestionValues({ values }: { readonly values: WaitingCheckpoint['question']['values'] }): ReactNode {
  if (values.length === 0) return null;
  return (
    <details>
      <summary>{question.values}</summary>
      <ScrollTable label={question.values}>
        <thead>
          <tr>
            <th scope="col">{question.columns.variable}</th>
            <th scope="col">{question.columns.value}</th>
            <th scope="col">{question.columns.origin}</th>
          </tr>
        </thead>
        <tbody>
          {values.map(({ name, value, ...setter }) => (
            <VariableRow key={name} name={name} value={value}>
              <td>{valueOrigin(setter)}</td>
            </VariableRow>
          ))}
        </tbody>
      </ScrollTable>
    </details>
  );
}

const { answer: answerTexts } = checkpointMessages;
const maxNote = 2000;

/** Renders the options of a checkpoint as buttons, and a field for a note that is stored with the answer. */
function AnswerForm({
  checkpoint,
  onClosed,
}: {
  readonly checkpoint: WaitingCheckpoint;
  readonly onClosed: (closed: ClosedCheckpoint) => void;
}): ReactNode {
  const note = useId();
  const { may } = useMe();
  const [text, setText] = useState('');
  const answer = useAnswer(checkpoint, onClosed);
  const { checkpoint: definition, parts, values } = checkpoint.question;
  const { options, defaultOption, autoAdvanceMs } = definition;
  return (
    <div className="stack">
      <ul className="gate-options">
        {options.map(({ id, effect }, at) => (
          <li key={id} className="gate-option">
            <button
              type="button"
              className="button"
              disabled={!may.answer || answer.isPending}
              onClick={() => answer.mutate({ option: id, note: text })}
            >
              <QuestionText parts={parts.options[at]?.label ?? [id]} values={values} />
            </button>
            <span className="small muted">
              <QuestionText parts={parts.options[at]?.description ?? []} values={values} />
              {effectSentences(effect)
                .map((sentence) => ` ${sentence}`)
                .join('')}
              {id === defaultOption && autoAdvanceMs !== undefined && answerTexts.automatic}
            </span>
          </li>
        ))}
      </ul>
      {may.answer ? (
        <div className="field">
          <label htmlFor={note}>{answerTexts.note}</label>
          <textarea
            id={note}
            className="input"
            rows={2}
            maxLength={maxNote}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
      ) : (
        <p className="muted small">{answerTexts.readOnly}</p>
      )}
      {answer.error !== null && (
        <Notice tone="refused" title={answerTexts.failed}>
          <p>{errorMessage(answer.error)}</p>
        </Notice>
      )}
    </div>
  );
}

function useAnswer(checkpoint: WaitingCheckpoint, onClosed: (closed: ClosedCheckpoint) => void) {
  const client = useQueryClient();
  const { sid, revision } = checkpoint.question;
  return useMutation({
    mutationFn: ({ option, note }: { readonly option: string; readonly note: string }) =>
      callApi('POST /runs/:sid/answer', {
        params: { sid },
        body: {
          mode: { kind: 'option', option },
          revision,
          ...(note.trim() !== '' && { note: note.trim() }),
        },
      }),
    onSuccess: (answered) =>
      onClosed({ checkpoint, how: 'answered', text: answeredText(checkpoint, answered) }),
    onError: (error) => {
      if (error instanceof RequestError && error.code === 'SESSION_CONFLICT')
        onClosed({ checkpoint, how: 'conflict', text: answerTexts.conflict(error.message) });
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['gates'] }),
        client.invalidateQueries({ queryKey: ['run', sid] }),
      ]),
  });
}
