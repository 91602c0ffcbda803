import type { ReactNode } from 'react';
import { BulletList } from '../components/lists.tsx';
import { Notice } from '../components/notice.tsx';
import type { WaitingCheckpoint } from '../contract.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';

const { review: messages } = checkpointMessages;

type Question = WaitingCheckpoint['question'];

/** Renders the checkpoints that nobody was asked about, for review. */
export function TakenList({ checkpoints = [] }: { readonly checkpoints?: Question['taken'] }): ReactNode {
  if (checkpoints.length === 0) return null;
  return (
    <Notice tone="waits" title={messages.taken(checkpoints.length)}>
      <BulletList
        lines={checkpoints.map(({ checkpoint, activity, option }) =>
          messages.takenCheckpoint(activity, checkpoint, option),
        )}
        className="small"
      />
    </Notice>
  );
}

/** Renders the steps that were not done, because everyone who decides must know of them. */
export function NotDoneList({ steps = [] }: { readonly steps?: Question['notDone'] }): ReactNode {
  if (steps.length === 0) return null;
  return (
    <Notice tone="waits" title={messages.notDone(steps.length)}>
      <BulletList
        lines={steps.map(({ activity, step, reason }) => messages.notDoneStep(activity, step, reason))}
        className="small"
      />
    </Notice>
  );
}
