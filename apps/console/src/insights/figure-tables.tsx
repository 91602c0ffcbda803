import type { ReactNode } from 'react';
import { formatDuration, formatNumber, percent } from '../components/format.ts';
import { OutcomeTag, SessionLink } from '../components/tags.tsx';
import type { InsightsReply } from '../contract.ts';
import { insightMessages as messages } from '../messages/insights.ts';
import { resultNames } from '../messages/sessions.ts';
import type { FigureColumn } from './figure-parts.tsx';
import {
  Behind,
  FigureTable,
  Place,
  Reason,
  refusalsOf,
  sessionsOf,
  tokens,
  workflowNameIn,
} from './figure-parts.tsx';

/** Compares the workflows, the one with the most failures first. Renders nothing for a single one. */
export function WorkflowFigures({ workflows, names }: Pick<InsightsReply, 'workflows' | 'names'>): ReactNode {
  const { title, lead, columns } = messages.workflows;
  // The rest of the page says the same of a single workflow.
  if (workflows.length < 2) return null;
  const result = (
    key: 'success' | 'failure' | 'stopped' | 'other',
  ): FigureColumn<InsightsReply['workflows'][number]> => ({
    name: columns[key],
    isNumber: true,
    cell: ({ workflowId, sessions, running, resultTags, ...counts }) => (
      <>
        <Behind value={counts[key]} tag={resultTags[key]} workflowId={workflowId} />
        {counts[key] > 0 && <span className="muted"> {percent(counts[key], sessions - running)}</span>}
      </>
    ),
  });
  return (
    <FigureTable
      title={title}
      lead={lead}
      rows={workflows}
      keyOf={({ workflowId }) => workflowId}
      columns={[
        {
          name: columns.workflow,
          cell: ({ workflowId }) => <span title={workflowId}>{workflowNameIn(names, workflowId)}</span>,
        },
        {
          name: columns.ended,
          behind: ({ sessions, running, workflowId }) => ({
            value: sessions - running,
            status: 'completed',
            workflowId,
          }),
        },
        result('success'),
        result('failure'),
        result('stopped'),
        result('other'),
        { name: columns.refused, behind: refusalsOf },
        {
          name: columns.running,
          behind: ({ running, resultTags, workflowId }) => ({
            value: running,
            tag: resultTags.running,
            workflowId,
          }),
        },
      ]}
    />
  );
}

export function OutcomeFigures({
  outcomes,
  running,
  workflows,
  names,
}: Pick<InsightsReply, 'outcomes' | 'running' | 'workflows' | 'names'>): ReactNode {
  const { title, empty, columns } = messages.outcomes;
  const runningTag = workflows[0]?.resultTags.running;
  // A failure is worth a look even if it is rare.
  const rows = outcomes.toSorted(
    (one, other) => Number(other.result === 'failure') - Number(one.result === 'failure'),
  );
  return (
    <FigureTable
      title={title}
      {...(running > 0 &&
        runningTag !== undefined && {
          lead: (
            <>
              <Behind value={running} tag={runningTag} label="" />
              {messages.outcomes.running(running)}
            </>
          ),
        })}
      empty={empty}
      rows={rows}
      first={7}
      keyOf={({ workflowId, outcome, result = '' }) => `${workflowId} ${outcome} ${result}`}
      columns={[
        {
          name: columns.outcome,
          cell: ({ outcome, result, workflowId }) => (
            <span className="figure-place">
              <span>
                <OutcomeTag ended={{ name: outcome, ...(result !== undefined && { result }) }} />
              </span>
              <span className="small muted" title={workflowId}>
                {workflowNameIn(names, workflowId)} · {resultNames[result ?? 'other']}
              </span>
            </span>
          ),
        },
        { name: columns.sessions, behind: sessionsOf, bar: ({ sessions }) => sessions },
      ]}
    />
  );
}

export function RefusalFigures({ refusals, names }: Pick<InsightsReply, 'refusals' | 'names'>): ReactNode {
  const { title, empty, columns } = messages.refusals;
  return (
    <FigureTable
      title={title}
      empty={empty}
      rows={refusals}
      keyOf={({ workflowId, tag }) => `${workflowId} ${tag}`}
      columns={[
        { name: columns.reason, cell: ({ criterion }) => <Reason criterion={criterion} /> },
        {
          name: columns.place,
          cell: (row) => <Place names={names} {...row} />,
        },
        {
          name: columns.times,
          behind: ({ count, tag, workflowId }) => ({
            value: count,
            tag,
            workflowId,
            label: messages.timesBehind,
          }),
          bar: ({ count }) => count,
        },
        { name: columns.sessions, behind: sessionsOf },
      ]}
    />
  );
}

export function ActivityFigures({
  activities,
  names,
}: Pick<InsightsReply, 'activities' | 'names'>): ReactNode {
  const { title, lead, empty, columns } = messages.activities;
  return (
    <FigureTable
      title={title}
      lead={lead}
      empty={empty}
      rows={activities}
      keyOf={({ workflowId, activity }) => `${workflowId} ${activity}`}
      columns={[
        {
          name: columns.activity,
          cell: (row) => <Place names={names} {...row} />,
        },
        {
          name: columns.median,
          isNumber: true,
          cell: ({ work }) => formatDuration(work.median),
          bar: ({ work }) => work.median,
        },
        { name: columns.p90, isNumber: true, cell: ({ work }) => formatDuration(work.p90) },
        {
          name: columns.retries,
          behind: ({ retries, retriedTag, workflowId }) => ({
            value: retries,
            tag: retriedTag,
            workflowId,
            label: messages.retriesBehind,
          }),
        },
        { name: columns.refused, behind: refusalsOf },
        {
          name: columns.waited,
          isNumber: true,
          cell: ({ waited, open, workflowId }) => (
            <span className="figure-place">
              {formatDuration(waited)}
              {open.checkpoints > 0 && (
                <span className="small">
                  <Behind
                    value={open.checkpoints}
                    tag={open.tag}
                    workflowId={workflowId}
                    label={messages.openBehind}
                  />
                  {messages.open}
                </span>
              )}
            </span>
          ),
        },
        { name: columns.sessions, behind: sessionsOf },
      ]}
    />
  );
}

/** Renders how often each agent was refused, the most often refused first. */
export function AgentFigures({ agents }: Pick<InsightsReply, 'agents'>): ReactNode {
  const { title, lead, empty, columns } = messages.agents;
  return (
    <FigureTable
      title={title}
      lead={lead}
      empty={empty}
      rows={agents}
      keyOf={({ agent }) => agent}
      columns={[
        { name: columns.agent, cell: ({ agent }) => agent },
        { name: columns.refused, behind: refusalsOf, bar: ({ refused }) => refused },
        { name: columns.share, isNumber: true, cell: ({ refused, calls }) => percent(refused, calls) },
        { name: columns.calls, isNumber: true, cell: ({ calls }) => formatNumber(calls) },
        { name: columns.read, isNumber: true, cell: ({ readTokens }) => tokens(readTokens) },
        { name: columns.sessions, behind: sessionsOf },
      ]}
    />
  );
}

/** Renders at which steps each agent was refused, or nothing if no call of an agent was refused. */
export function AgentRefusalFigures({
  agentRefusals,
  names,
}: Pick<InsightsReply, 'agentRefusals' | 'names'>): ReactNode {
  const { title, lead, columns } = messages.agentRefusals;
  return (
    <FigureTable
      title={title}
      lead={lead}
      rows={agentRefusals}
      keyOf={({ workflowId, tag }) => `${workflowId} ${tag}`}
      columns={[
        { name: columns.agent, cell: ({ agent }) => agent },
        { name: columns.place, cell: (row) => <Place names={names} {...row} /> },
        {
          name: columns.refused,
          behind: ({ refused, tag, workflowId }) => ({
            value: refused,
            tag,
            workflowId,
            label: messages.refusedBehind,
          }),
          bar: ({ refused }) => refused,
        },
        { name: columns.sessions, behind: sessionsOf },
      ]}
    />
  );
}

/** Renders the sessions in which agents read most, or nothing if no text was counted. */
export function LargestSessions({ largest, names }: Pick<InsightsReply, 'largest' | 'names'>): ReactNode {
  const { title, lead, columns } = messages.largest;
  return (
    <FigureTable
      title={title}
      lead={lead}
      rows={largest}
      first={5}
      keyOf={({ sid }) => sid}
      columns={[
        {
          name: columns.session,
          cell: ({ sid, title: about, workflowId }) => (
            <span className="figure-place">
              <SessionLink sid={sid}>{about === '' ? sid.slice(0, 8) : about}</SessionLink>
              <span className="small muted" title={workflowId}>
                {workflowNameIn(names, workflowId)}
              </span>
            </span>
          ),
        },
        {
          name: columns.read,
          isNumber: true,
          cell: ({ readTokens }) => tokens(readTokens),
          bar: ({ readTokens }) => readTokens,
        },
        { name: columns.calls, isNumber: true, cell: ({ calls }) => formatNumber(calls) },
        { name: columns.refused, isNumber: true, cell: ({ refused }) => formatNumber(refused) },
      ]}
    />
  );
}

/** Renders how long checkpoints waited. Those that still wait come first. */
export function PeopleFigures({ people, waiting }: Pick<InsightsReply, 'people' | 'waiting'>): ReactNode {
  const { title, lead, empty, unnamed, open, byClient, columns } = messages.people;
  type Row = Pick<InsightsReply['people'][number], 'person' | 'assurance'>;
  const nameOf = ({ person, assurance }: Row): string => {
    const name = unnamed[person] ?? person;
    return assurance === undefined ? name : byClient(name);
  };
  const within = ({ person, tag }: { readonly person: string; readonly tag: string }) =>
    person === '' ? { status: 'blocked' } : { tag };
  const unanswered: InsightsReply['people'][number] = {
    person: '',
    tag: '',
    sessions: waiting.checkpoints,
    waits: waiting.waits,
  };
  return (
    <FigureTable
      title={title}
      lead={lead}
      empty={empty}
      rows={waiting.checkpoints > 0 ? [unanswered, ...people] : people}
      keyOf={({ person, tag }) => `${person} ${tag}`}
      columns={[
        { name: columns.person, cell: (row) => (row.person === '' ? open : nameOf(row)) },
        {
          name: columns.answers,
          behind: ({ waits, ...row }) => ({
            value: waits.count,
            ...within(row),
            label: messages.checkpointsBehind,
          }),
        },
        { name: columns.median, isNumber: true, cell: ({ waits }) => formatDuration(waits.median) },
        { name: columns.p90, isNumber: true, cell: ({ waits }) => formatDuration(waits.p90) },
        { name: columns.total, isNumber: true, cell: ({ waits }) => formatDuration(waits.total) },
        { name: columns.sessions, behind: ({ sessions, ...row }) => ({ value: sessions, ...within(row) }) },
      ]}
    />
  );
}

/** Renders nothing if no workflow asks for evidence. */
export function EvidenceFigures({ evidence, names }: Pick<InsightsReply, 'evidence' | 'names'>): ReactNode {
  const { title, lead, columns } = messages.evidence;
  return (
    <FigureTable
      title={title}
      lead={lead}
      rows={evidence}
      keyOf={({ workflowId, tag }) => `${workflowId} ${tag}`}
      columns={[
        { name: columns.evidence, cell: (row) => <code>{row.evidence}</code> },
        { name: columns.place, cell: ({ evidence: _id, ...row }) => <Place names={names} {...row} /> },
        { name: columns.passed, isNumber: true, cell: ({ passed }) => formatNumber(passed) },
        { name: columns.failed, isNumber: true, cell: ({ failed }) => formatNumber(failed) },
        {
          name: columns.notConfigured,
          isNumber: true,
          cell: ({ notConfigured }) => formatNumber(notConfigured),
        },
        { name: columns.sessions, behind: sessionsOf },
      ]}
    />
  );
}

/** Renders nothing until hooks have done something. */
export function HookFigures({ hooks }: Pick<InsightsReply, 'hooks'>): ReactNode {
  const { title, lead, actions, columns } = messages.hooks;
  return (
    <FigureTable
      title={title}
      lead={lead}
      rows={hooks}
      keyOf={({ action }) => action}
      columns={[
        {
          name: columns.action,
          cell: ({ action }) => <span title={action}>{actions[action] ?? action}</span>,
        },
        { name: columns.times, isNumber: true, cell: ({ count }) => formatNumber(count) },
        { name: columns.sessions, behind: sessionsOf },
      ]}
    />
  );
}
