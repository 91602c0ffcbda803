import { useNavigate } from '@tanstack/react-router';
import { isPlannedAgain } from '@workflowlookup/diagrams';
import type { ReactNode } from 'react';
import { textParams } from '../api/client.ts';
import { DataTable } from '../components/lists.tsx';
import { EmptyState, Notice } from '../components/notice.tsx';
import {
  AuthenticityTags,
  SessionStatusTag,
  sessionTitle,
  Tag,
  SessionLink,
  toneOf,
} from '../components/tags.tsx';
import { AnsweredBy, AnswerNote, AnswerReceipt } from '../checkpoints/question-text.tsx';
import type { PageTab } from '../components/lists.tsx';
import { Moment, TimeSince } from '../components/time.tsx';
import {
  OutputView,
  RefusedOutputView,
  VariableChangesTable,
  nameColumn,
  valueColumn,
} from '../components/values.tsx';
import type { SessionDetail, SessionOutput } from '../contract/index.ts';
import type { GraphTarget } from '../graph/graph-targets.ts';
import { LazyGraph } from '../graph/lazy-graph.tsx';
import { answerText } from '../messages/checkpoints.ts';
import { commonMessages } from '../messages/common.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { sessionNames } from './session-names.ts';
import { TimelineTab } from './timeline.tsx';

const { tabs } = sessionMessages;

export function sessionTabs(session: SessionDetail): readonly PageTab[] {
  const { history, outputs, variables } = session;
  const outputCount = outputs.length + refusedOutputs(history.refusals).length;
  const tab = (id: Exclude<keyof typeof tabs, 'withCount'>, count: number, content: ReactNode): PageTab => ({
    id,
    label: tabs.withCount(tabs[id], count),
    content,
  });
  return [
    tab('plan', 0, <PlanTab session={session} />),
    tab('timeline', 0, <TimelineTab session={session} />),
    tab('outputs', outputCount, <OutputsTab session={session} />),
    tab('variables', Object.keys(variables).length, <VariablesTab session={session} />),
    tab('checkpoints', history.checkpoints.length, <CheckpointsTab session={session} />),
    tab('children', history.children.length, <ChildrenTab history={history} />),
  ];
}

interface SessionProps {
  readonly session: SessionDetail;
}

function PlanTab({ session }: SessionProps): ReactNode {
  const { graph, row } = session;
  const navigate = useNavigate();
  const seeEvents = ({ id, to }: GraphTarget): void =>
    void navigate({
      to: '/sessions/$sid',
      params: { sid: row.sid },
      search: textParams({ tab: 'timeline', activity: id, to }),
    });
  return (
    <div className="columns plan">
      <PlanList session={session} />
      <LazyGraph graph={graph} label={sessionMessages.plan.graph(sessionTitle(row))} onChoose={seeEvents} />
    </div>
  );
}

/** Renders the activities of the plan in order, with their state. Each one leads to its step and its events. */
function PlanList({ session: { history, row } }: SessionProps): ReactNode {
  return (
    <ol className="plan-list card" aria-label={sessionMessages.plan.list}>
      {history.plan.map(({ id, name, status, visits, why }) => (
        <li key={id} aria-current={status === 'current' ? 'step' : undefined}>
          <span className="plan-name">
            <SessionLink sid={row.sid} search={{ tab: 'timeline', activity: id }}>
              {name}
            </SessionLink>
            {visits > 1 && <span className="muted"> {visits}×</span>}
            {why !== undefined && <span className="plan-why small muted">{why}</span>}
          </span>
          <Tag tone={toneOf(status)}>
            {isPlannedAgain({ status, visits })
              ? sessionMessages.plan.again
              : commonMessages.state[toneOf(status)]}
          </Tag>
        </li>
      ))}
    </ol>
  );
}

/** Returns the outputs that were refused, oldest first. Traces of older versions have only the reasons. */
function refusedOutputs(refusals: SessionDetail['history']['refusals']) {
  return refusals.flatMap(({ spanId, ts: at, act: activity, rj = [] }) =>
    rj.flatMap(({ step, output, issues }) =>
      output === undefined ? [] : [{ key: `${spanId} ${step}`, at, activity, step, output, issues }],
    ),
  );
}

/** Renders the outputs of a session and those that were refused, newest first. */
function OutputsTab({ session: { outputs, history, outline } }: SessionProps): ReactNode {
  const refused = refusedOutputs(history.refusals);
  const names = sessionNames(outline);
  const texts = sessionMessages.outputs;
  if (outputs.length + refused.length === 0) return <EmptyState title={texts.empty} />;
  const items = [
    ...outputs.map((output) => ({
      ...output,
      key: `${output.revision} ${output.step}`,
      content: <OutputView output={output} before={attemptBefore(outputs, output)} />,
    })),
    ...refused.map((output) => ({ ...output, content: <RefusedOutputView {...output} /> })),
  ].toSorted((one, other) => (one.at < other.at ? 1 : -1));
  return (
    <ol className="stack" aria-label={texts.list}>
      {items.map(({ key, at, activity, step, content }) => (
        <li key={key} className="card stack-tight">
          <div className="row-apart">
            <h2>{names.activity(step)}</h2>
            <span className="small muted">
              {activity !== step && <>{names.activity(activity)} · </>}
              <TimeSince at={at} />
            </span>
          </div>
          {content}
        </li>
      ))}
    </ol>
  );
}

/** Returns the output of the attempt at the same step before. */
function attemptBefore(outputs: readonly SessionOutput[], output: SessionOutput): string | undefined {
  return outputs.findLast(
    ({ revision, activity, step, notDone }) =>
      revision < output.revision &&
      activity === output.activity &&
      step === output.step &&
      notDone === undefined,
  )?.output;
}

function VariablesTab({ session: { variables, history } }: SessionProps): ReactNode {
  const entries = Object.entries(variables).map(([name, value]) => ({ name, value }));
  const texts = sessionMessages.variables;
  if (entries.length === 0) return <EmptyState title={texts.empty} />;
  return (
    <>
      <h2>{texts.now}</h2>
      <DataTable
        label={texts.table}
        rows={entries}
        keyOf={({ name }) => name}
        columns={[
          nameColumn(texts.columns.variable),
          valueColumn(texts.columns.value),
          {
            name: texts.columns.changes,
            isNumber: true,
            cell: ({ name }) => history.variables.filter((change) => change.name === name).length,
          },
        ]}
      />
      {history.variables.length > 0 && (
        <>
          <h2>{texts.history}</h2>
          <VariableChangesTable changes={history.variables} />
        </>
      )}
    </>
  );
}

function CheckpointsTab({ session: { row, history, outline } }: SessionProps): ReactNode {
  const texts = sessionMessages.checkpoints;
  const names = sessionNames(outline);
  if (history.checkpoints.length === 0) return <EmptyState title={texts.empty} />;
  return (
    <ol className="stack" aria-label={texts.list}>
      {history.checkpoints.map(({ checkpoint, activity, yieldedAt, answered }) => (
        <li key={yieldedAt} className="card stack-tight">
          <div className="row-apart">
            <h2>{names.checkpoint(checkpoint)}</h2>
            {answered === undefined ? (
              <Tag tone="waits">{texts.notAnswered}</Tag>
            ) : (
              <Tag tone="planned">{answerText(answered.answer, names.options(checkpoint))}</Tag>
            )}
          </div>
          <p className="small muted">
            {texts.reached(names.activity(activity))}
            <Moment at={yieldedAt} />
          </p>
          {answered !== undefined && <AnsweredBy answered={answered} />}
          {answered?.isImported === true && <Tag tone="refused">{texts.imported}</Tag>}
          {answered?.decided?.isAsAsked === false && (
            <Notice tone="refused" title={texts.changed}>
              {texts.changedReason}
            </Notice>
          )}
          {answered !== undefined && <AnswerNote {...answered} />}
          {answered !== undefined && (row.ended === undefined || answered.receivedAt !== undefined) && (
            <AnswerReceipt answered={answered} lastCallAt={history.lastCallAt} />
          )}
        </li>
      ))}
    </ol>
  );
}

function ChildrenTab({ history }: Pick<SessionDetail, 'history'>): ReactNode {
  const { children, participants } = history;
  return (
    <>
      {children.length === 0 ? (
        <EmptyState title={sessionMessages.children.empty} />
      ) : (
        <ul className="card plan-list" aria-label={sessionMessages.children.list}>
          {children.map((child) => (
            <li key={child.sid}>
              <SessionLink sid={child.sid}>{child.workflowId}</SessionLink>
              <SessionStatusTag session={child} />
              <AuthenticityTags session={child} />
            </li>
          ))}
        </ul>
      )}
      <h2>{sessionMessages.children.participants}</h2>
      <ul className="card plan-list" aria-label={sessionMessages.children.participants}>
        {participants.map(({ id, kind, calls, refused, readTokens }) => (
          <li key={id}>
            <span>
              {id} <span className="muted">{sessionMessages.children.kinds[kind]}</span>
            </span>
            <span className="muted">{sessionMessages.children.calls(calls, refused, readTokens)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
