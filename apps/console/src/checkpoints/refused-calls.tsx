import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { SessionLink } from '../components/tags.tsx';
import { refusedCallsQuery } from '../api/queries.ts';
import type { WaitingCheckpoint } from '../contract/index.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';
import { nameOf } from '../sessions/session-names.ts';
import { refusalText } from '../sessions/timeline-entries.ts';

const { refused: messages } = checkpointMessages;

/**
 * Renders the calls that were refused before a question or while it waits. It has a row of its own between the question
 * and the options: if a call is refused while somebody reads or writes, neither of them moves. Later refusals only change
 * the number, because new lines would move the others.
 */
export function RefusedCallsNotice({
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
            {messages.title(refused.count)}
          </strong>
          <SessionLink sid={question.sid} search={{ tab: 'timeline', show: 'refused' }}>
            {messages.timeline}
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
          <p className="muted">{messages.more(first.count - first.calls.length)}</p>
        )}
      </div>
    </div>
  );
}
