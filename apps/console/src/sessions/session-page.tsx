import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { isPlannedAgain } from '@workflowlookup/diagrams';
import { GitCompareArrows, Pause, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import { callApi } from '../api/client.ts';
import { sessionQuery } from '../api/queries.ts';
import { CheckpointDetail, ReviewNotices } from '../checkpoints/checkpoint-detail.tsx';
import { CollectedEvidence } from '../checkpoints/evidence.tsx';
import { Button } from '../components/controls.tsx';
import { DownloadButton } from '../components/download-button.tsx';
import { FactGrid, PageTabs } from '../components/lists.tsx';
import { Loaded, Notice, ErrorNotice } from '../components/notice.tsx';
import {
  AuthenticityTags,
  OutcomeTag,
  SessionStatusTag,
  sessionTitle,
  Tag,
  workflowName,
  SessionLink,
} from '../components/tags.tsx';
import { Moment, TimeSince } from '../components/time.tsx';
import type { SessionDetail } from '../contract/index.ts';
import { commonMessages } from '../messages/common.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { Page, useMe } from '../shell/page.tsx';
import { sessionNames } from './session-names.ts';
import { sessionTabs } from './session-tabs.tsx';

const { page, facts } = sessionMessages;

const route = getRouteApi('/sessions/$sid');

export function SessionPage(): ReactNode {
  const { sid } = route.useParams();
  const query = useQuery(sessionQuery(sid));
  const session = query.data;
  return (
    <Page
      title={session === undefined ? page.title : sessionTitle(session.row)}
      lead={
        <span className="row">
          {session !== undefined && <SessionStatusTag session={session.row} />}
          {session?.row.ended !== undefined && session.row.outcome === undefined && (
            <OutcomeTag ended={session.row.ended} />
          )}
          {session !== undefined && <AuthenticityTags session={session.row} />}
          <code>{sid}</code>
        </span>
      }
      actions={session !== undefined && <SessionActions session={session} />}
    >
      <Loaded query={query}>{(found) => <SessionContent key={sid} session={found} />}</Loaded>
    </Page>
  );
}

function SessionActions({ session: { row, history } }: { readonly session: SessionDetail }): ReactNode {
  return (
    <>
      <Link className="button" to="/compare" search={{ a: row.sid }}>
        <GitCompareArrows size={16} aria-hidden />
        {page.compare}
      </Link>
      <ParkingButton row={row} />
      {history.chain.ok && (
        <DownloadButton
          path={`/sessions/${encodeURIComponent(row.sid)}/export`}
          nameOf={() => `${row.sid}.jsonl`}
          warning={(lines) => sealWarning(row.sid, lines)}
        >
          {page.export}
        </DownloadButton>
      )}
    </>
  );
}

/** Parks an active session with a reason, or ends the parking of a parked one. Renders nothing for others. */
function ParkingButton({ row: { sid, status } }: Pick<SessionDetail, 'row'>): ReactNode {
  const { may } = useMe();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (reason: string | undefined) =>
      reason === undefined
        ? callApi('POST /sessions/:sid/unpark', { params: { sid } })
        : callApi('POST /sessions/:sid/park', { params: { sid }, body: { reason } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['session', sid] }),
  });
  if (!may.answer || (status !== 'active' && status !== 'parked')) return null;
  const isParked = status === 'parked';
  const start = (): void => {
    const reason = isParked ? undefined : window.prompt(page.parkReason)?.trim();
    if (isParked || (reason !== undefined && reason !== '')) change.mutate(reason);
  };
  return (
    <>
      <ErrorNotice title={page.parkFailed} error={change.error} />
      <Button icon={isParked ? Play : Pause} disabled={change.isPending} onClick={start}>
        {isParked ? page.unpark : page.park}
      </Button>
    </>
  );
}

function SessionContent({ session }: { readonly session: SessionDetail }): ReactNode {
  const { tab, show } = route.useSearch();
  const navigate = route.useNavigate();
  const tabs = useRef<HTMLDivElement>(null);
  const [isLedToPart] = useState(show !== undefined || tab === 'checkpoints');
  useEffect(() => {
    // A long question may be above the part that the link leads to, so scroll to that part.
    if (isLedToPart) tabs.current?.scrollIntoView();
  }, [isLedToPart]);
  return (
    <>
      <WaitingCheckpoint session={session} />
      <SessionFacts session={session} />
      <ReviewNotices {...session.history} />
      <SessionEvidence session={session} />
      <div ref={tabs}>
        <PageTabs
          label={page.tabs}
          tabs={sessionTabs(session)}
          chosen={tab}
          onChoose={(id) => void navigate({ search: { tab: id }, replace: true, resetScroll: false })}
        />
      </div>
    </>
  );
}

/** Shows the evidence of a session. A session that waits shows it at its checkpoint. */
function SessionEvidence({ session: { row, history } }: { readonly session: SessionDetail }): ReactNode {
  if (row.status === 'blocked' || history.evidence === undefined) return null;
  const names = Object.fromEntries(history.plan.map(({ id, name }) => [id, name]));
  return (
    <div className="card">
      <CollectedEvidence evidence={history.evidence} names={names} project={row.project} heading="h2" />
    </div>
  );
}

/** Shows the checkpoint that the session waits at. It stays after the answer, until the page shows another session. */
function WaitingCheckpoint({ session: { row } }: { readonly session: SessionDetail }): ReactNode {
  const revision = row.status === 'blocked' ? row.revision : undefined;
  const [asked, setAsked] = useState(revision);
  if (revision !== undefined && revision !== asked) setAsked(revision);
  if (asked === undefined) return null;
  return (
    <div className="card checkpoint-card">
      <CheckpointDetail key={asked} sid={row.sid} revision={asked} isGone={revision !== asked} />
    </div>
  );
}

/** Returns the activity that the last answer leads to, until the agent moves. */
function decidedNext({ history, outline }: SessionDetail): string | undefined {
  const last = history.checkpoints.at(-1);
  const answer = last?.answered?.answer;
  const movedAt = history.moves.at(-1)?.revision ?? 0;
  if (last === undefined || last.revision < movedAt || answer === undefined || !('option' in answer))
    return undefined;
  return outline.activities
    ?.flatMap(({ checkpoints }) => checkpoints)
    .find(({ id }) => id === last.checkpoint)
    ?.options.find(({ id }) => id === answer.option)?.leadsTo;
}

/** Returns whether a person's answer is the last change of the session: the agent has not continued with it. */
function isAnswerUnread({ row, history }: SessionDetail): boolean {
  const last = history.checkpoints.at(-1)?.answered;
  if (last?.by !== 'human' || last.receivedAt !== undefined) return false;
  return row.status === 'active' && last.at === row.updatedAt;
}

function SessionFacts({ session }: { readonly session: SessionDetail }): ReactNode {
  const { row, history, outline } = session;
  const next = decidedNext(session);
  const isBack = history.moves.some(({ to }) => to === next);
  const names = sessionNames(outline);
  const { checkpoint, current, ended, parked, imported, unauthentic, project } = row;
  const again = history.plan.filter(isPlannedAgain).length;
  const agents = history.participants.filter(({ kind }) => kind === 'agent');
  const sum = (of: 'calls' | 'refused' | 'readTokens'): number =>
    agents.reduce((total, agent) => total + agent[of], 0);
  return (
    <FactGrid
      className="card"
      facts={{
        [facts.workflow]: (
          <>
            <Link to="/workflows/$id" params={{ id: row.workflowId }}>
              {workflowName(row)}
            </Link>{' '}
            {row.version}
          </>
        ),
        [facts.current]: ended === undefined && (
          <>
            {checkpoint !== undefined && names.checkpoint(checkpoint)}
            {checkpoint === undefined &&
              (current === undefined ? commonMessages.none : names.activity(current))}
            {next !== undefined && <p className="small">{facts.decidedNext(names.activity(next), isBack)}</p>}
            {isAnswerUnread(session) && <p className="small">{facts.answerUnread}</p>}
          </>
        ),
        [facts.progress]: (
          <>
            {facts.progressOf(row.progress.done, row.progress.of)}
            {again > 0 && <p className="small">{facts.again(again)}</p>}
          </>
        ),
        [facts.agent]: row.agent,
        [facts.calls]: (
          <>
            {facts.callsDetail(sum('calls'))}
            {sum('refused') > 0 && (
              <>
                {', '}
                <SessionLink sid={row.sid} search={{ tab: 'timeline', show: 'refused' }}>
                  {facts.refusedDetail(sum('refused'))}
                </SessionLink>
              </>
            )}
            <p className="small muted">{facts.callsAndEvents}</p>
          </>
        ),
        [facts.read]: sum('readTokens') > 0 && facts.readDetail(sum('readTokens')),
        [facts.rules]: facts.enforcement[history.enforcement],
        [facts.started]: <Moment at={row.createdAt} />,
        [facts.changed]: <TimeSince at={row.updatedAt} />,
        [facts.journal]: <JournalState chain={history.chain} />,
        [facts.parked]: parked && (
          <>
            <Moment at={parked.at} />
            {facts.parkedBy(parked.by, parked.person)}
            <q>{parked.reason}</q>
          </>
        ),
        [facts.parkedUntil]: parked?.until && <Moment at={parked.until} />,
        [facts.imported]: imported && (
          <>
            <Moment at={imported.at} /> {facts.importedBy(imported.by)}
            {imported.isAuthentic ? facts.sealedHere : facts.sealedElsewhere}
          </>
        ),
        [facts.authenticity]: unauthentic && (
          <>
            <Tag tone="refused">{sessionMessages.authenticity[unauthentic]}</Tag> {facts.notContinuable}
          </>
        ),
        [facts.parent]: history.parent && (
          <SessionLink sid={history.parent.sid}>{history.parent.workflowId}</SessionLink>
        ),
        [facts.folder]: project && <code>{project}</code>,
      }}
    />
  );
}

function JournalState({ chain }: Pick<SessionDetail['history'], 'chain'>): ReactNode {
  // Don't use the colour of success, because an intact journal says nothing about the quality of the work.
  if (chain.ok) return <Tag tone="planned">{facts.journalIntact(chain.events)}</Tag>;
  return <Tag tone="refused">{facts.journalBroken(chain.brokenAt)}</Tag>;
}

/** Warns if nobody can continue an exported session. */
async function sealWarning(sid: string, lines: Blob): Promise<ReactNode> {
  if (await hasSeal(lines)) return undefined;
  return (
    <Notice tone="waits" title={page.noSeal}>
      {page.noSealReason(sid)}
    </Notice>
  );
}

/** Returns whether the last line of an export contains the seal of the file. */
async function hasSeal(lines: Blob): Promise<boolean> {
  const [last = '{}'] = (await lines.slice(-2_000).text()).trimEnd().split('\n').slice(-1);
  return 'seal' in (JSON.parse(last) as object);
}
