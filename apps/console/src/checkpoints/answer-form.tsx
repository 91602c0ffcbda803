import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { RequestError, callApi, errorMessage } from '../api/client.ts';
import { Notice } from '../components/notice.tsx';
import type { WaitingCheckpoint } from '../contract.ts';
import { checkpointMessages, effectSentences } from '../messages/checkpoints.ts';
import { useMe } from '../shell/page.tsx';
import type { ClosedCheckpoint } from './closed-checkpoints.tsx';
import { answeredText } from './closed-checkpoints.tsx';
import { QuestionText } from './question.tsx';

const { answer: messages } = checkpointMessages;
const maxNote = 2000;

/** Renders the options of a checkpoint as buttons, and a field for a note that is stored with the answer. */
export function AnswerForm({
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
              {id === defaultOption && autoAdvanceMs !== undefined && messages.automatic}
            </span>
          </li>
        ))}
      </ul>
      {may.answer ? (
        <div className="field">
          <label htmlFor={note}>{messages.note}</label>
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
        <p className="muted small">{messages.readOnly}</p>
      )}
      {answer.error !== null && (
        <Notice tone="refused" title={messages.failed}>
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
        onClosed({ checkpoint, how: 'conflict', text: messages.conflict(error.message) });
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['gates'] }),
        client.invalidateQueries({ queryKey: ['run', sid] }),
      ]),
  });
}
