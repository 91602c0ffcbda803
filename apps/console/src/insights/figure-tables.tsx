import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatDuration, formatNumber, percent } from '../components/format.ts';
import { OutcomeTag } from '../components/tags.tsx';
import type { InsightsReply } from '../contract.ts';
import { insightMessages as messages } from '../messages/insights.ts';
import { resultNames } from '../messages/sessions.ts';
import type { Column } from './figure-parts.tsx';
import { Bar, Behind, FigureTable, Place, Reason, tokens, workflowNameIn } from './figure-parts.tsx';

/** Compares the workflows, the one with the most failures first. Renders nothing for a single one. */
export function WorkflowFigures({ workflows, names }: Pick<InsightsReply, 'workflows' | 'names'>): ReactNode {
  const { title, lead, columns } = messages.workflows;
  // The rest of the page says the same of a single workflow.
  if (workflows.length < 2) return null;
  const result = (
    key: 'success' | 'failure' | 'stopped' | 'other',
  ): Column<InsightsReply['workflows'][number]> => ({
    name: columns[key],
    isNumber: true,
    cell: ({ workflowId, sessions, running, resultTags, ...counts }) => (
      <span className="figure-share">
        <Behind value={counts[key]} tag={resultTags[key]} workflowId={workflowId} />
        {counts[key] > 0 && <span className="muted"> {percent(counts[key], sessions - running)}</span>}
      </span>
    ),
  });
  return (
    <FigureTable
      title={title}
      lead={lead}
      empty=""
      rows={workflows}
      keyOf={({ workflowId }) => workflowId}
      columns={[
        {
          name: columns.workflow,
          cell: ({ workflowId }) => <span title={workflowId}>{workflowNameIn(names, workflowId)}</span>,
        },
        {
          name: columns.ended,
          isNumber: true,
          cell: ({ workflowId, sessions, running }) => (
            <Behind value={sessions - running} status="completed" workflowId={workflowId} />
          ),
        },
        result('success'),
        result('failure'),
        result('stopped'),
        result('other'),
        {
          name: columns.refused,
          isNumber: true,
          cell: ({ workflowId, refused, refusedTag }) => (
            <Behind value={refused} tag={refusedTag} workflowId={workflowId} label={messages.refusedBehind} />
          ),
        },
        {
          name: columns.running,
          isNumber: true,
          cell: ({ workflowId, running, resultTags }) => (
            <Behind value={running} tag={resultTags.running} workflowId={workflowId} />
          ),
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
  const most = Math.max(...outcomes.map(({ sessions }) => sessions));
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
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag, workflowId }) => (
            <Bar value={sessions} most={most}>
              <Behind value={sessions} tag={tag} workflowId={workflowId} />
            </Bar>
          ),
        },
      ]}
    />
  );
}

export function RefusalFigures({ refusals, names }: Pick<InsightsReply, 'refusals' | 'names'>): ReactNode {
  const { title, empty, columns } = messages.refusals;
  const most = Math.max(...refusals.map(({ count }) => count));
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
          isNumber: true,
          cell: ({ count, tag, workflowId }) => (
            <Bar value={count} most={most}>
              <Behind value={count} tag={tag} workflowId={workflowId} label={messages.timesBehind} />
            </Bar>
          ),
        },
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag, workflowId }) => (
            <Behind value={sessions} tag={tag} workflowId={workflowId} />
          ),
        },
      ]}
    />
  );
}

export function ActivityFigures({
  activities,
  names,
}: Pick<InsightsReply, 'activities' | 'names'>): ReactNode {
  const { title, lead, empty, columns } = messages.activities;
  const most = Math.max(...activities.map(({ work }) => work.median));
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
          cell: ({ work }) => (
            <Bar value={work.median} most={most}>
              {formatDuration(work.median)}
            </Bar>
          ),
        },
        { name: columns.p90, isNumber: true, cell: ({ work }) => formatDuration(work.p90) },
        {
          name: columns.retries,
          isNumber: true,
          cell: ({ retries, retriedTag, workflowId }) => (
            <Behind value={retries} tag={retriedTag} workflowId={workflowId} label={messages.retriesBehind} />
          ),
        },
        {
          name: columns.refused,
          isNumber: true,
          cell: ({ refused, refusedTag, workflowId }) => (
            <Behind value={refused} tag={refusedTag} workflowId={workflowId} label={messages.refusedBehind} />
          ),
        },
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
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag, workflowId }) => (
            <Behind value={sessions} tag={tag} workflowId={workflowId} />
          ),
        },
      ]}
    />
  );
}

/** Renders how often each agent was refused, the most often refused first. */
export function AgentFigures({ agents }: Pick<InsightsReply, 'agents'>): ReactNode {
  const { title, lead, empty, columns } = messages.agents;
  const most = Math.max(...agents.map(({ refused }) => refused));
  return (
    <FigureTable
      title={title}
      lead={lead}
      empty={empty}
      rows={agents}
      keyOf={({ agent }) => agent}
      columns={[
        { name: columns.agent, cell: ({ agent }) => agent },
        {
          name: columns.refused,
          isNumber: true,
          cell: ({ refused, refusedTag }) => (
            <Bar value={refused} most={most}>
              <Behind value={refused} tag={refusedTag} label={messages.refusedBehind} />
            </Bar>
          ),
        },
        { name: columns.share, isNumber: true, cell: ({ refused, calls }) => percent(refused, calls) },
        { name: columns.calls, isNumber: true, cell: ({ calls }) => formatNumber(calls) },
        { name: columns.read, isNumber: true, cell: ({ readTokens }) => tokens(readTokens) },
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag }) => <Behind value={sessions} tag={tag} />,
        },
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
  if (agentRefusals.length === 0) return null;
  const most = Math.max(...agentRefusals.map(({ refused }) => refused));
  return (
    <FigureTable
      title={title}
      lead={lead}
      empty=""
      rows={agentRefusals}
      keyOf={({ workflowId, tag }) => `${workflowId} ${tag}`}
      columns={[
        { name: columns.agent, cell: ({ agent }) => agent },
        { name: columns.place, cell: (row) => <Place names={names} {...row} /> },
        {
          name: columns.refused,
          isNumber: true,
          cell: ({ refused, tag, workflowId }) => (
            <Bar value={refused} most={most}>
              <Behind value={refused} tag={tag} workflowId={workflowId} label={messages.refusedBehind} />
            </Bar>
          ),
        },
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag, workflowId }) => (
            <Behind value={sessions} tag={tag} workflowId={workflowId} />
          ),
        },
      ]}
    />
  );
}

/** Renders the sessions in which agents read most, or nothing if no text was counted. */
export function LargestSessions({ largest, names }: Pick<InsightsReply, 'largest' | 'names'>): ReactNode {
  const { title, lead, columns } = messages.largest;
  if (largest.length === 0) return null;
  const most = Math.max(...largest.map(({ readTokens }) => readTokens));
  return (
    <FigureTable
      title={title}
      lead={lead}
      empty=""
      rows={largest}
      first={5}
      keyOf={({ sid }) => sid}
      columns={[
        {
          name: columns.session,
          cell: ({ sid, title: about, workflowId }) => (
            <span className="figure-place">
              <Link to="/sessions/$sid" params={{ sid }}>
                {about === '' ? sid.slice(0, 8) : about}
              </Link>
              <span className="small muted" title={workflowId}>
                {workflowNameIn(names, workflowId)}
              </span>
            </span>
          ),
        },
        {
          name: columns.read,
          isNumber: true,
          cell: ({ readTokens }) => (
            <Bar value={readTokens} most={most}>
              {tokens(readTokens)}
            </Bar>
          ),
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
          isNumber: true,
          cell: ({ waits, tag, person }) => (
            <Behind
              value={waits.count}
              {...(person === '' ? { status: 'blocked' } : { tag })}
              label={messages.checkpointsBehind}
            />
          ),
        },
        {
          name: columns.median,
          isNumber: true,
          cell: ({ waits }) => formatDuration(waits.median),
        },
        { name: columns.p90, isNumber: true, cell: ({ waits }) => formatDuration(waits.p90) },
        { name: columns.total, isNumber: true, cell: ({ waits }) => formatDuration(waits.total) },
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag, person }) =>
            person === '' ? (
              <Behind value={sessions} status="blocked" />
            ) : (
              <Behind value={sessions} tag={tag} />
            ),
        },
      ]}
    />
  );
}

/** Renders nothing if no workflow asks for evidence. */
export function EvidenceFigures({ evidence, names }: Pick<InsightsReply, 'evidence' | 'names'>): ReactNode {
  const { title, lead, columns } = messages.evidence;
  if (evidence.length === 0) return null;
  const count = (
    name: string,
    value: (row: InsightsReply['evidence'][number]) => number,
  ): Column<InsightsReply['evidence'][number]> => ({
    name,
    isNumber: true,
    cell: (row) => formatNumber(value(row)),
  });
  return (
    <FigureTable
      title={title}
      lead={lead}
      empty=""
      rows={evidence}
      keyOf={({ workflowId, tag }) => `${workflowId} ${tag}`}
      columns={[
        { name: columns.evidence, cell: (row) => <code>{row.evidence}</code> },
        { name: columns.place, cell: ({ evidence: _id, ...row }) => <Place names={names} {...row} /> },
        count(columns.passed, ({ passed }) => passed),
        count(columns.failed, ({ failed }) => failed),
        count(columns.notConfigured, ({ notConfigured }) => notConfigured),
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag, workflowId }) => (
            <Behind value={sessions} tag={tag} workflowId={workflowId} />
          ),
        },
      ]}
    />
  );
}

/** Renders nothing until hooks have done something. */
export function HookFigures({ hooks }: Pick<InsightsReply, 'hooks'>): ReactNode {
  const { title, lead, actions, columns } = messages.hooks;
  if (hooks.length === 0) return null;
  return (
    <FigureTable
      title={title}
      lead={lead}
      empty=""
      rows={hooks}
      keyOf={({ action }) => action}
      columns={[
        {
          name: columns.action,
          cell: ({ action }) => <span title={action}>{actions[action] ?? action}</span>,
        },
        { name: columns.times, isNumber: true, cell: ({ count }) => formatNumber(count) },
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag }) => <Behind value={sessions} tag={tag} />,
        },
      ]}
    />
  );
}
