import { Link } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import { Circle, CircleCheck, CircleDashed, CirclePlay, Hand, OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';
import type { NodeState, SessionDetail, SessionListRow, SessionsReply } from '../contract/index.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { isIdle } from '../sessions/ages.ts';
import { plural } from './format.ts';
import { TimeSince, useNow } from './time.tsx';

/** A state that has a colour and an icon. It is always shown together with a word. */
export type Tone = 'done' | 'current' | 'waits' | 'refused' | 'skipped' | 'planned';

/** The state of an activity or a step in a graph or in a plan. */
type ActivityState = NodeState | SessionDetail['history']['plan'][number]['status'];

/** Returns the tone of a state. The tone is also the word that is shown. */
export function toneOf(state: ActivityState): Exclude<Tone, 'waits'> {
  return state === 'ahead' || state === 'depends' ? 'planned' : state;
}

const toneIcons = {
  done: CircleCheck,
  current: CirclePlay,
  waits: Hand,
  refused: OctagonX,
  skipped: CircleDashed,
  planned: Circle,
} as const;

/** Renders the icon of a tone. Screen readers skip it, because a word is next to it. */
export function ToneIcon({ tone, size = 14 }: { readonly tone: Tone; readonly size?: number }): ReactNode {
  const Icon = toneIcons[tone];
  return <Icon size={size} aria-hidden />;
}

/** Renders a word with the colour of a tone, and with its icon unless another one is given. */
export function Tag({
  tone,
  icon: Icon = toneIcons[tone],
  children,
}: {
  readonly tone: Tone;
  readonly icon?: LucideIcon;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <span className="tag" data-tone={tone}>
      <Icon size={14} aria-hidden />
      {children}
    </span>
  );
}

/** The tone of each result of a session: green for a success, red for a failure, grey if it was stopped. */
export const resultTones = { success: 'done', failure: 'refused', stopped: 'skipped' } as const;

const { status, authenticity, imported: importedTexts } = sessionMessages;

const statuses = ['active', 'blocked', 'parked', 'completed'] as const;
/** An ended session has no tone of success: the outcome beside it says whether that is good. */
const statusTones = { active: 'current', blocked: 'waits', parked: 'skipped', completed: 'planned' } as const;

export function SessionStatusTag({
  session,
}: {
  readonly session: Pick<SessionListRow, 'status' | 'outcome' | 'problem'> &
    Partial<Pick<SessionListRow, 'updatedAt'>>;
}): ReactNode {
  const now = useNow();
  if (session.problem !== undefined) return <Tag tone="refused">{status.damaged}</Tag>;
  if (session.outcome === 'abandoned') return <Tag tone="skipped">{status.abandoned}</Tag>;
  const { status: is, updatedAt } = session;
  if (updatedAt !== undefined && isIdle({ status: is, updatedAt }, now))
    return (
      <Tag tone="skipped">
        {status.idle}
        <TimeSince at={updatedAt} isShort />
      </Tag>
    );
  return <Tag tone={statusTones[is]}>{status[is]}</Tag>;
}

/** Shows how a session ended. */
export function OutcomeTag({ ended }: { readonly ended: NonNullable<SessionListRow['ended']> }): ReactNode {
  return <Tag tone={ended.result === undefined ? 'planned' : resultTones[ended.result]}>{ended.name}</Tag>;
}

/** Warns that the journal of a session may not be authentic. Renders nothing for an authentic session. */
export function AuthenticityTags({
  session: { unauthentic, imported },
}: {
  readonly session: Pick<SessionListRow, 'unauthentic' | 'imported'>;
}): ReactNode {
  return (
    <>
      {unauthentic !== undefined && <Tag tone="refused">{authenticity[unauthentic]}</Tag>}
      {imported !== undefined && (
        <Tag tone={imported.isAuthentic ? 'skipped' : 'refused'}>
          {imported.isAuthentic ? importedTexts.authentic : importedTexts.notAuthentic}
        </Tag>
      )}
    </>
  );
}

export function StatusCounts({ counts }: Pick<SessionsReply, 'counts'>): ReactNode {
  return (
    <p className="row counts">
      {statuses.map((one) => (
        <Link key={one} to="/sessions" search={{ status: one }}>
          <Tag tone={statusTones[one]}>{plural(counts[one], status[one], status[one])}</Tag>
        </Link>
      ))}
    </p>
  );
}

/** Leads to the page of a session. */
export function SessionLink({
  sid,
  ...props
}: {
  readonly sid: string;
  readonly search?: { readonly tab: string; readonly show?: string; readonly activity?: string };
  readonly className?: string;
  readonly children: ReactNode;
}): ReactNode {
  return <Link to="/sessions/$sid" params={{ sid }} {...props} />;
}

/** Returns what a session is about or, if nothing says so, the name of its workflow. */
export function sessionTitle({
  subject,
  ...row
}: Pick<SessionListRow, 'subject' | 'title' | 'workflowId'>): string {
  return subject ?? workflowName(row);
}

export function workflowName({ title, workflowId }: Pick<SessionListRow, 'title' | 'workflowId'>): string {
  return title === '' ? workflowId : title;
}
