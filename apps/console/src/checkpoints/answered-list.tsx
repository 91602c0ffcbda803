import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { textParams } from '../api/client.ts';
import { answeredQuery } from '../api/queries.ts';
import { filterProps, FilterSelect, SearchInput } from '../components/controls.tsx';
import { EmptyState, Loaded } from '../components/notice.tsx';
import { AuthenticityTags, sessionTitle, Tag, SessionLink } from '../components/tags.tsx';
import { Moment } from '../components/time.tsx';
import type { AnsweredReply } from '../contract/index.ts';
import { answeredBy, answerOrigin, checkpointMessages, isForAgent } from '../messages/checkpoints.ts';
import { focusSearch, useShortcuts } from '../shell/shortcuts.tsx';
import { useOutbox } from './outbox.ts';

const { answered: messages, answer: answerTexts, filters, keys } = checkpointMessages;
const route = getRouteApi('/checkpoints');

type Answer = AnsweredReply['answers'][number];

const lookEveryMs = 10_000;

/** Returns whether an agent still has to get an answer. */
function isUnread(answer: Answer): boolean {
  const { receivedAt, session } = answer;
  return isForAgent({ ...answer, by: 'human' }) && receivedAt === undefined && session.ended === undefined;
}

/** Renders the latest answers of people that match the filters, newest first. */
export function AnsweredList(): ReactNode {
  const { text, by } = route.useSearch();
  // The answers stay while somebody types.
  const query = useQuery({
    ...answeredQuery(textParams({ search: text, by })),
    placeholderData: keepPreviousData,
    // A call that gives an agent an answer changes nothing in the journal, so no change is announced.
    refetchInterval: ({ state }) => (state.data?.answers.some(isUnread) === true ? lookEveryMs : false),
  });
  const isFiltered = text !== undefined || by !== undefined;
  return (
    <>
      <AnsweredFilters />
      <Loaded query={query}>
        {({ answers, hasMore }) => (
          <>
            {answers.length === 0 && <EmptyState title={isFiltered ? messages.noMatch : messages.empty} />}
            <ol className="stack" aria-label={messages.list}>
              {answers.map((answer) => (
                <AnsweredItem key={`${answer.sid} ${answer.revision}`} answer={answer} />
              ))}
            </ol>
            {hasMore && <p className="small muted">{isFiltered ? messages.moreFound : messages.more}</p>}
          </>
        )}
      </Loaded>
    </>
  );
}

function AnsweredFilters(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = filterProps(search, (next) => void navigate({ search: next, replace: true }));
  useShortcuts(keys.list, [{ keys: '/', label: keys.search, run: focusSearch }]);
  return (
    <search className="filters filters-two">
      <SearchInput label={filters.search} placeholder={messages.searchHint} {...filter('text')} />
      <FilterSelect
        label={messages.who}
        none={filters.anybody}
        options={[['me', messages.me]]}
        {...filter('by')}
      />
    </search>
  );
}

/** Leads to the question, if it was answered in this tab, or else to the checkpoints of its session. */
function QuestionLink({
  answer: { sid, revision },
  children,
}: {
  readonly answer: Answer;
  readonly children: ReactNode;
}): ReactNode {
  const own = useOutbox().findLast((one) => one.sid === sid);
  // The answer is the next event after its question.
  return own?.revision === revision - 1 ? (
    <Link to="/checkpoints" search={{ sid }}>
      {children}
    </Link>
  ) : (
    <SessionLink sid={sid} search={{ tab: 'checkpoints' }}>
      {children}
    </SessionLink>
  );
}

function AnsweredItem({ answer }: { readonly answer: Answer }): ReactNode {
  const { sid, at, checkpoint, option, note, person, origin, receivedAt, session } = answer;
  return (
    <li className="card stack-tight">
      <div className="row-apart">
        <h2>
          <QuestionLink answer={answer}>{checkpoint}</QuestionLink>
        </h2>
        <Tag tone="planned">{option}</Tag>
      </div>
      <p className="row small muted">
        <SessionLink sid={sid}>{messages.session(sessionTitle(session))}</SessionLink>
        <span>
          {messages.by(answeredBy({ by: 'human', ...(person !== undefined && { person }) }))}
          <Moment at={at} />
        </span>
        <AuthenticityTags session={session} />
      </p>
      {origin !== undefined && <p className="small muted">{answerOrigin(origin)}</p>}
      {note !== undefined && <blockquote className="note">{note}</blockquote>}
      {receivedAt !== undefined && (
        <p className="row small muted">
          <Tag tone="done">{messages.received}</Tag>
          <Moment at={receivedAt} />
        </p>
      )}
      {isUnread(answer) && (
        <p className="row small muted">
          <Tag tone="waits">{messages.notReceived}</Tag>
          {answerTexts.notReceived}
        </p>
      )}
    </li>
  );
}
