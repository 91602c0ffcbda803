import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Notice } from '../components/notice.tsx';
import { sessionTitle } from '../components/tags.tsx';
import type { CheckpointAnswered, WaitingCheckpoint } from '../contract.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';

const { answer: messages } = checkpointMessages;
const tones = { answered: 'done', conflict: 'waits', elsewhere: 'plain' } as const;

/** Says how a checkpoint was closed. It takes the focus, unless the checkpoint was closed elsewhere. */
export function ClosedCheckpointNotice({
  closed: { checkpoint, how, text },
  onClose,
}: {
  readonly closed: ClosedCheckpoint;
  readonly onClose: () => void;
}): ReactNode {
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (how !== 'elsewhere') notice.current?.focus();
  }, [how]);
  const { run, question } = checkpoint;
  return (
    <div ref={notice} tabIndex={-1}>
      <Notice tone={tones[how]} title={`${sessionTitle(run)}: ${question.checkpoint.name}`}>
        <p>{text}</p>
        <p className="row">
          <Link to="/runs/$sid" params={{ sid: run.sid }}>
            {messages.seeSession}
          </Link>
          <button type="button" className="button button-quiet button-small" onClick={onClose}>
            {messages.close}
          </button>
        </p>
      </Notice>
    </div>
  );
}

/**
 * Returns the checkpoints that need an answer and the ones that were closed while the page was open, by this user or
 * by others. If `hasMore` is set, the server has older checkpoints that are not in the list.
 */
export function useClosedCheckpoints(
  checkpoints: readonly WaitingCheckpoint[],
  hasMore = false,
): {
  readonly waiting: readonly WaitingCheckpoint[];
  /** Newest first. */
  readonly closed: readonly ClosedCheckpoint[];
  readonly addClosed: (one: ClosedCheckpoint) => void;
  readonly dismiss: (one: ClosedCheckpoint) => void;
} {
  const [closed, setClosed] = useState<readonly ClosedCheckpoint[]>([]);
  const before = useRef<readonly WaitingCheckpoint[]>([]);
  const addClosed = useCallback((one: ClosedCheckpoint) => {
    setClosed((all) =>
      all.some(({ checkpoint }) => checkpointKey(checkpoint) === checkpointKey(one.checkpoint))
        ? all
        : [one, ...all],
    );
  }, []);
  useEffect(() => {
    const waiting = new Set(checkpoints.map(checkpointKey));
    const gone = before.current.filter(
      (checkpoint) =>
        !waiting.has(checkpointKey(checkpoint)) && !(hasMore && isOnLaterPage(checkpoint, checkpoints)),
    );
    before.current = checkpoints;
    for (const checkpoint of gone)
      addClosed({
        checkpoint,
        how: 'elsewhere',
        text: messages.elsewhere,
      });
  }, [checkpoints, hasMore, addClosed]);
  const dismiss = useCallback(
    (one: ClosedCheckpoint) => setClosed((all) => all.filter((other) => other !== one)),
    [],
  );
  const keys = new Set(closed.map(({ checkpoint }) => checkpointKey(checkpoint)));
  return {
    waiting: checkpoints.filter((checkpoint) => !keys.has(checkpointKey(checkpoint))),
    closed,
    addClosed,
    dismiss,
  };
}

/** Returns whether a checkpoint may have moved to a page that is not loaded yet. */
function isOnLaterPage({ run }: WaitingCheckpoint, listed: readonly WaitingCheckpoint[]): boolean {
  const last = listed.at(-1);
  return last !== undefined && run.updatedAt <= last.run.updatedAt;
}

/** A checkpoint that was closed, by an answer on this page or by somebody else. */
export interface ClosedCheckpoint {
  readonly checkpoint: WaitingCheckpoint;
  readonly how: 'answered' | 'conflict' | 'elsewhere';
  readonly text: string;
}

/** Returns a key for the question of a checkpoint. A later question of the same session has another key. */
export function checkpointKey({ question: { sid, revision } }: WaitingCheckpoint): string {
  return `${sid} ${revision}`;
}

export function answeredText(
  { question }: WaitingCheckpoint,
  { answer }: Pick<CheckpointAnswered, 'answer'>,
): string {
  if (answer.kind === 'dismissed') return messages.conditionFalse;
  const option = question.checkpoint.options.find(({ id }) => id === answer.option);
  return messages.accepted(option?.label ?? answer.option);
}
