import type { ReactNode } from 'react';
import { formatDuration, percent } from '../components/format.ts';
import { OutcomeTag, SessionLink } from '../components/tags.tsx';
import type { InsightsReply } from '../contract/index.ts';
import { insightMessages as messages } from '../messages/insights.ts';
import { resultNames } from '../messages/sessions.ts';
import type { FigureColumn } from './figure-parts.tsx';
import {
  Behind,
  FigureTable,
  InWorkflow,
  Place,
  Reason,
  refusalsOf,
  sessionsOf,
  tokens,
  workflowNameIn,
} from './figure-parts.tsx';

const { columns } = messages;

/** Compares the workflows, the one with the most failures first. Renders nothing for a single one. */
export function WorkflowFigures({ workflows, names }: Pick<InsightsReply, 'workflows' | 'names'>): ReactNode {
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
      texts={messages.workflows}
      rows={workflows}
      keyOf={({ workflowId }) => workflowId}
      columns={[
        {
          name: columns.workflow,
          cell: ({ workflowId }) => <span title={workflowId}>{workflowNameIn(names, workflowId)}</span>,
        },
        {
          name: columns.ended,
          behind: (row) => ({ ...row, value: row.sessions - row.running, status: 'completed' }),
        },
        ...(['success', 'failure', 'stopped', 'other'] as const).map(result),
        { name: columns.refused, behind: refusalsOf },
        {
          name: columns.running,
          behind: (row) => ({ ...row, value: row.running, tag: row.resultTags.running }),
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
  const { title, empty, running: notFinished } = messages.outcomes;
  const runningTag = workflows[0]?.resultTags.running;
  const lead = running > 0 && runningTag !== undefined && (
    <>
      <Behind value={running} tag={runningTag} label="" />
      {notFinished(running)}
    </>
  );
  // A failure is worth a look even if it is rare.
  const rows = outcomes.toSorted(
    (one, other) => Number(other.result === 'failure') - Number(one.result === 'failure'),
  );
  return (
    <FigureTable
      texts={{ title, empty, ...(lead !== false && { lead }) }}
      rows={rows}
      first={7}
      keyOf={({ workflowId, outcome, result = '' }) => `${workflowId} ${outcome} ${result}`}
      columns={[
        {
          name: columns.outcome,
          cell: ({ outcome, result, workflowId }) => (
            <InWorkflow names={names} workflowId={workflowId} more={` · ${resultNames[result ?? 'other']}`}>
              <span>
                <OutcomeTag ended={{ name: outcome, ...(result !== undefined && { result }) }} />
              </span>
            </InWorkflow>
          ),
        },
        { name: columns.sessions, behind: sessionsOf, hasBar: true },
      ]}
    />
  );
}

export function RefusalFigures({ refusals, names }: Pick<InsightsReply, 'refusals' | 'names'>): ReactNode {
  return (
    <FigureTable
      texts={messages.refusals}
      rows={refusals}
      keyOf={({ workflowId, tag }) => `${workflowId} ${tag}`}
      columns={[
        { name: columns.reason, cell: ({ criterion }) => <Reason criterion={criterion} /> },
        { name: columns.place, cell: (row) => <Place names={names} {...row} /> },
        {
          name: columns.times,
          behind: (row) => ({ ...row, value: row.count, label: messages.timesBehind }),
          hasBar: true,
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
  return (
    <FigureTable
      texts={messages.activities}
      rows={activities}
      keyOf={({ workflowId, activity }) => `${workflowId} ${activity}`}
      columns={[
        { name: columns.activity, cell: (row) => <Place names={names} {...row} /> },
        { name: columns.median, of: ({ work }) => work.median, format: formatDuration, hasBar: true },
        { name: columns.p90, of: ({ work }) => work.p90, format: formatDuration },
        {
          name: columns.retries,
          behind: (row) => ({
            ...row,
            value: row.retries,
            tag: row.retriedTag,
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
                    label={messages.checkpointsBehind}
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
  return (
    <FigureTable
      texts={messages.agents}
      rows={agents}
      keyOf={({ agent }) => agent}
      columns={[
        { name: columns.agent, cell: ({ agent }) => agent },
        { name: columns.refused, behind: refusalsOf, hasBar: true },
        { name: columns.share, isNumber: true, cell: ({ refused, calls }) => percent(refused, calls) },
        { name: columns.calls, of: ({ calls }) => calls },
        { name: columns.read, of: ({ readTokens }) => readTokens, format: tokens },
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
  return (
    <FigureTable
      texts={messages.agentRefusals}
      rows={agentRefusals}
      keyOf={({ workflowId, tag }) => `${workflowId} ${tag}`}
      columns={[
        { name: columns.agent, cell: ({ agent }) => agent },
        { name: columns.place, cell: (row) => <Place names={names} {...row} /> },
        {
          name: columns.refused,
          behind: (row) => refusalsOf({ ...row, refusedTag: row.tag }),
          hasBar: true,
        },
        { name: columns.sessions, behind: sessionsOf },
      ]}
    />
  );
}

/** Renders the sessions in which agents read most, or nothing if no text was counted. */
export function LargestSessions({ largest, names }: Pick<InsightsReply, 'largest' | 'names'>): ReactNode {
  return (
    <FigureTable
      texts={messages.largest}
      rows={largest}
      first={5}
      keyOf={({ sid }) => sid}
      columns={[
        {
          name: columns.session,
          cell: ({ sid, title: about, workflowId }) => (
            <InWorkflow names={names} workflowId={workflowId}>
              <SessionLink sid={sid}>{about === '' ? sid.slice(0, 8) : about}</SessionLink>
            </InWorkflow>
          ),
        },
        { name: columns.read, of: ({ readTokens }) => readTokens, format: tokens, hasBar: true },
        { name: columns.calls, of: ({ calls }) => calls },
        { name: columns.refused, of: ({ refused }) => refused },
      ]}
    />
  );
}

/** Renders how long checkpoints waited. Those that still wait come first. */
export function PeopleFigures({ people, waiting }: Pick<InsightsReply, 'people' | 'waiting'>): ReactNode {
  const { unnamed, open, byClient } = messages.people;
  type Row = InsightsReply['people'][number];
  const nameOf = ({ person, assurance }: Row): string => {
    const name = unnamed[person] ?? person;
    return assurance === undefined ? name : byClient(name);
  };
  const within = ({ person, tag }: Row) => (person === '' ? { status: 'blocked' } : { tag });
  const unanswered: Row = { person: '', tag: '', sessions: waiting.checkpoints, waits: waiting.waits };
  return (
    <FigureTable
      texts={messages.people}
      rows={waiting.checkpoints > 0 ? [unanswered, ...people] : people}
      keyOf={({ person, tag }) => `${person} ${tag}`}
      columns={[
        { name: columns.person, cell: (row) => (row.person === '' ? open : nameOf(row)) },
        {
          name: columns.answers,
          behind: (row) => ({ ...within(row), value: row.waits.count, label: messages.checkpointsBehind }),
        },
        { name: columns.median, of: ({ waits }) => waits.median, format: formatDuration },
        { name: columns.p90, of: ({ waits }) => waits.p90, format: formatDuration },
        { name: columns.total, of: ({ waits }) => waits.total, format: formatDuration },
        { name: columns.sessions, behind: (row) => ({ ...within(row), value: row.sessions }) },
      ]}
    />
  );
}

/** Renders nothing if no workflow asks for evidence. */
export function EvidenceFigures({ evidence, names }: Pick<InsightsReply, 'evidence' | 'names'>): ReactNode {
  return (
    <FigureTable
      texts={messages.evidence}
      rows={evidence}
      keyOf={({ workflowId, tag }) => `${workflowId} ${tag}`}
      columns={[
        { name: columns.evidence, cell: (row) => <code>{row.evidence}</code> },
        { name: columns.activity, cell: ({ evidence: _id, ...row }) => <Place names={names} {...row} /> },
        { name: columns.passed, of: ({ passed }) => passed },
        { name: columns.failed, of: ({ failed }) => failed },
        { name: columns.notConfigured, of: ({ notConfigured }) => notConfigured },
        { name: columns.sessions, behind: sessionsOf },
      ]}
    />
  );
}

/** Renders nothing until hooks have done something. */
export function HookFigures({ hooks }: Pick<InsightsReply, 'hooks'>): ReactNode {
  const { actions } = messages.hooks;
  return (
    <FigureTable
      texts={messages.hooks}
      rows={hooks}
      keyOf={({ action }) => action}
      columns={[
        {
          name: columns.action,
          cell: ({ action }) => <span title={action}>{actions[action] ?? action}</span>,
        },
        { name: columns.times, of: ({ count }) => count },
        { name: columns.sessions, behind: sessionsOf },
      ]}
    />
  );
}
