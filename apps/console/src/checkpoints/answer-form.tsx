import { AlertDialog } from '@base-ui/react/alert-dialog';
import { maxNoteChars } from '@workflowlookup/schema';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId, useRef, useState } from 'react';
import type { WaitingCheckpoint } from '../contract/index.ts';
import { Form, Button } from '../components/controls.tsx';
import { sessionTitle, Tag } from '../components/tags.tsx';
import { TimeUntil } from '../components/time.tsx';
import { checkpointMessages, outcomeText } from '../messages/checkpoints.ts';
import { nameOf } from '../sessions/session-names.ts';
import { useConnection, useMe } from '../shell/page.tsx';
import { useShortcuts } from '../shell/shortcuts.tsx';
import { checkpointKey, giveAnswer, useDraft, useOutboxMessage } from './outbox.ts';
import { ProofSummary } from './evidence.tsx';
import { plainText, QuestionText } from './question-text.tsx';

const { answer: messages, keys, outbox } = checkpointMessages;

/** Renders the options of a checkpoint, and a field for a note to the agent. */
export function AnswerForm({ checkpoint }: { readonly checkpoint: WaitingCheckpoint }): ReactNode {
  const { question } = checkpoint;
  const session = sessionTitle(checkpoint.session);
  const { sid, revision, parts } = question;
  const { options } = question.checkpoint;
  const { may } = useMe();
  const isConnected = useConnection() === 'live';
  const [draft, setDraft] = useDraft(checkpointKey({ sid, revision }));
  const [isConfirming, setIsConfirming] = useState(false);
  const [isNoteMissing, setIsNoteMissing] = useState(false);
  const noteField = useRef<HTMLTextAreaElement>(null);
  const ids = { note: useId(), hint: useId() };
  const at = options.findIndex(({ id }) => id === draft.option);
  const chosen = options[at];
  const canAnswer = may.answer && isConnected;
  const labelOf = (index: number): string => plainText(parts.options[index]?.label ?? []);

  function give(): void {
    if (chosen === undefined) return;
    giveAnswer({
      sid,
      revision,
      checkpoint: plainText(parts.name),
      session,
      option: chosen.id,
      label: labelOf(at),
      note: draft.note,
      isIrreversible: chosen.irreversible === true,
    });
  }

  function submit(): void {
    if (chosen === undefined || !canAnswer) return;
    if (chosen.note === 'required' && draft.note.trim() === '') {
      setIsNoteMissing(true);
      noteField.current?.focus();
    } else if (chosen.irreversible === true) setIsConfirming(true);
    else give();
  }

  const choose = (option: string): void => {
    setIsNoteMissing(false);
    setDraft({ ...draft, option });
  };
  useShortcuts(keys.answer, [
    ...options.slice(0, 9).map(({ id }, index) => ({
      keys: String(index + 1),
      ...(index === 0 && { label: keys.choose }),
      run: () => canAnswer && choose(id),
    })),
    { keys: 'n', label: keys.note, run: () => noteField.current?.focus() },
    { keys: 'mod+Enter', label: keys.send, run: submit },
  ]);

  return (
    <Form className="answer stack" onSubmit={submit}>
      <ProofSummary evidence={checkpoint.evidence} />
      <Choices checkpoint={checkpoint} chosen={draft.option} isDisabled={!canAnswer} onChoose={choose} />
      {may.answer ? (
        <div className="answer-row">
          <div className="field">
            <label htmlFor={ids.note}>
              {chosen?.note === 'required' ? messages.noteRequired : messages.note}
            </label>
            <textarea
              id={ids.note}
              ref={noteField}
              className="input"
              rows={2}
              maxLength={maxNoteChars}
              value={draft.note}
              aria-invalid={isNoteMissing || undefined}
              aria-describedby={ids.hint}
              onChange={({ target }) => {
                setIsNoteMissing(false);
                setDraft({ ...draft, note: target.value });
              }}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
                if (event.key === 'Escape') event.currentTarget.blur();
              }}
            />
          </div>
          <div className="answer-send stack-tight">
            <Button type="submit" look="main" disabled={!canAnswer || chosen === undefined}>
              {chosen === undefined ? messages.choose : messages.send(labelOf(at))}
            </Button>
            <span className="small muted" id={ids.hint} role="status">
              {isNoteMissing ? (
                <span className="warns">{messages.noteMissing}</span>
              ) : (
                <AnswerHint
                  about={checkpointKey({ sid, revision })}
                  isIrreversible={chosen?.irreversible === true}
                />
              )}
            </span>
          </div>
        </div>
      ) : (
        <p className="muted small">{messages.readOnly}</p>
      )}
      <Confirmation
        isOpen={isConfirming}
        label={labelOf(at)}
        about={messages.confirmSession(session, plainText(parts.name))}
        onClose={() => setIsConfirming(false)}
        onConfirm={give}
      />
    </Form>
  );
}

/** Says that the answer was taken back, or else how an answer can be taken back. */
function AnswerHint({
  about,
  isIrreversible,
}: {
  /** The key of the checkpoint. */
  readonly about: string;
  readonly isIrreversible: boolean;
}): ReactNode {
  const message = useOutboxMessage();
  if (message?.kind === 'taken-back' && message.key === about) return <strong>{outbox.takenBack}</strong>;
  return isIrreversible ? messages.hintIrreversible : messages.hint;
}

function Choices({
  checkpoint: { question, names, timerEndsAt },
  chosen,
  isDisabled,
  onChoose,
}: {
  readonly checkpoint: WaitingCheckpoint;
  readonly chosen: string | undefined;
  readonly isDisabled: boolean;
  readonly onChoose: (option: string) => void;
}): ReactNode {
  const { sid, parts, values } = question;
  const { options, defaultOption } = question.checkpoint;
  return (
    <fieldset className="choices" disabled={isDisabled}>
      <legend className="hidden-visually">{messages.options}</legend>
      {options.map(({ id, effect, irreversible = false, note }, index) => {
        const outcome = question.outcomes.find(({ option }) => option === id);
        const isLast = outcome?.path?.stop === 'end';
        const risk = irreversible ? 'irreversible' : isLast ? 'last' : undefined;
        return (
          <label key={id} className="choice" data-chosen={id === chosen || undefined} data-risk={risk}>
            <input
              type="radio"
              name={`answer ${sid}`}
              value={id}
              checked={id === chosen}
              onChange={() => onChoose(id)}
            />
            <span className="choice-text">
              <strong>
                <QuestionText parts={parts.options[index]?.label ?? [id]} values={values} />
              </strong>
              {irreversible && (
                <Tag tone="refused" icon={TriangleAlert}>
                  {messages.irreversible}
                </Tag>
              )}
              {isLast && (
                <Tag tone="waits" icon={TriangleAlert}>
                  {messages.last}
                </Tag>
              )}
              <span className="small muted">
                <QuestionText parts={parts.options[index]?.description ?? []} values={values} />{' '}
                {outcomeText(
                  outcome,
                  (effect?.skipActivities ?? []).map((one) => nameOf(names, one)),
                )}
                {id === defaultOption && timerEndsAt !== undefined && (
                  <>
                    {messages.automatic}
                    <TimeUntil at={timerEndsAt} />.
                  </>
                )}
              </span>
              {note === 'required' && <span className="small muted">{messages.needsNote}</span>}
            </span>
            {index < 9 && <kbd aria-hidden>{index + 1}</kbd>}
          </label>
        );
      })}
    </fieldset>
  );
}

/** Asks before an answer that can't be undone. */
function Confirmation({
  isOpen,
  label,
  about,
  onClose,
  onConfirm,
}: {
  readonly isOpen: boolean;
  readonly label: string;
  /** The session and the checkpoint. */
  readonly about: string;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}): ReactNode {
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="dialog-ground" />
        <AlertDialog.Popup className="dialog dialog-narrow" initialFocus={cancel}>
          <AlertDialog.Title render={<h2 />}>{messages.confirmTitle(label)}</AlertDialog.Title>
          <p>{about}</p>
          <AlertDialog.Description>{messages.confirmText}</AlertDialog.Description>
          <div className="row">
            <Button
              look="danger"
              onClick={() => {
                onClose();
                onConfirm();
              }}
            >
              {messages.confirm(label)}
            </Button>
            <AlertDialog.Close className="button" ref={cancel}>
              {messages.cancel}
            </AlertDialog.Close>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
