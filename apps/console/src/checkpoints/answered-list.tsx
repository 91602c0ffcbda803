import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answeredQuery } from '../api/queries.ts';
import { EmptyState, Loaded } from '../components/notice.tsx';
import { AuthenticityTags, sessionTitle, Tag } from '../components/tags.tsx';
import { Moment } from '../components/time.tsx';
import { answeredBy, checkpointMessages } from '../messages/checkpoints.ts';

const { answered: messages } = checkpointMessages;

/** Renders the latest answers of people, newest first. */
export function AnsweredList(): ReactNode {
  const query = useQuery(answeredQuery);
  return (
    <Loaded query={query}>
      {({ answers, hasMore }) => (
        <>
          {answers.length === 0 && <EmptyState title={messages.empty} />}
          <ol className="stack" aria-label={messages.list}>
            {answers.map(({ sid, revision, at, checkpoint, option, note, person, session }) => (
              <li key={`${sid} ${revision}`} className="card stack-tight">
                <div className="row-apart">
                  <h2>{checkpoint}</h2>
                  <Tag tone="planned">{option}</Tag>
                </div>
                <p className="row small muted">
                  <Link to="/sessions/$sid" params={{ sid }}>
                    {sessionTitle(session)}
                  </Link>
                  <span>
                    {messages.by(answeredBy({ by: 'human', ...(person !== undefined && { person }) }))}
                    <Moment at={at} />
                  </span>
                  <AuthenticityTags session={session} />
                </p>
                {note !== undefined && <blockquote className="note">{note}</blockquote>}
              </li>
            ))}
          </ol>
          {hasMore && <p className="small muted">{messages.more}</p>}
        </>
      )}
    </Loaded>
  );
}
