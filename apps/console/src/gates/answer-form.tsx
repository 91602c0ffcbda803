import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { ask } from '../api/ask.ts';
import { Refusal, reasonOf } from '../api/refusal.ts';
import type { WaitingGate } from '../contract.ts';
import { Notice } from '../parts/notice.tsx';
import { useMe } from '../shell/me-context.ts';
import { effectSentences } from './effect-sentences.ts';
import { QuestionText } from './question-text.tsx';
import type { Settled } from './settled.ts';
import { answeredText } from './settled.ts';

const maxNote = 2000;

/** The answers a checkpoint offers, each one click, and a note that goes with it. */
export function AnswerForm({
  gate,
  onSettled,
}: {
  readonly gate: WaitingGate;
  readonly onSettled: (settled: Settled) => void;
}): ReactNode {
  const note = useId();
  const { may } = useMe();
  const [text, setText] = useState('');
  const answer = useAnswer(gate, onSettled);
  const { checkpoint, parts, values } = gate.question;
  const { options, defaultOption, autoAdvanceMs } = checkpoint;
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
              {id === defaultOption && autoAdvanceMs !== undefined && ' Taken by itself when nobody answers.'}
            </span>
          </li>
        ))}
      </ul>
      {may.answer ? (
        <div className="field">
          <label htmlFor={note}>Note, kept with the answer</label>
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
        <p className="muted small">
          You are signed in to read. Answering needs the scope checkpoints:respond.
        </p>
      )}
      {answer.error !== null && (
        <Notice tone="refused" title="The answer was not taken.">
          <p>{reasonOf(answer.error)}</p>
        </Notice>
      )}
    </div>
  );
}

function useAnswer(gate: WaitingGate, onSettled: (settled: Settled) => void) {
  const client = useQueryClient();
  const { sid, revision } = gate.question;
  return useMutation({
    mutationFn: ({ option, note }: { readonly option: string; readonly note: string }) =>
      ask('POST /runs/:sid/answer', {
        params: { sid },
        body: {
          mode: { kind: 'option', option },
          revision,
          ...(note.trim() !== '' && { note: note.trim() }),
        },
      }),
    onSuccess: (answered) => onSettled({ gate, how: 'answered', text: answeredText(gate, answered) }),
    onError: (error) => {
      if (error instanceof Refusal && error.code === 'SESSION_CONFLICT')
        onSettled({ gate, how: 'conflict', text: `Somebody was faster. ${error.message}` });
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['gates'] }),
        client.invalidateQueries({ queryKey: ['run', sid] }),
      ]),
  });
}
