import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { refusedCallsQuery } from '../api/queries.ts';
import type { WaitingCheckpoint } from '../contract.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';
import { nameOf, valueOf } from '../sessions/session-names.ts';
import { refusalText } from '../sessions/timeline-entries.ts';

const { refused: messages } = checkpointMessages;

/**
 * Renders the calls that were refused before a question or while it waits. It has a row of its own between the question
 * and the options: if a call is refused while somebody reads or writes, neither of them moves.
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
  const title = useId();
  if (refused === null) return null;
  const { count, calls } = refused;
  const { question, names } = checkpoint;
  const activity = (id: string): string => nameOf(id, (step) => valueOf(names, step));
  return (
    <div className="refused-calls small" role="group" aria-labelledby={title}>
      <TriangleAlert size={16} aria-hidden />
      <div>
        <p className="row-apart">
          <strong id={title} role="status">
            {messages.title(count)}
          </strong>
          <Link
            to="/sessions/$sid"
            params={{ sid: question.sid }}
            search={{ tab: 'timeline', show: 'refused' }}
          >
            {messages.timeline}
          </Link>
        </p>
        <ul>
          {calls.map((call) => (
            <li key={call.spanId}>{refusalText(call, { activity })}</li>
          ))}
        </ul>
        {count > calls.length && <p className="muted">{messages.more(count - calls.length)}</p>}
      </div>
    </div>
  );
}
