import type { VariableChange } from '@workflowlookup/core/operator';
import type { Json } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import type { SessionOutput } from '../contract/index.ts';
import type { TimelineOutput } from '../sessions/timeline-entries.ts';
import { commonMessages } from '../messages/common.ts';
import { DiffLines, RenderedText, Scrolling, compareTexts } from './rendered-text.tsx';
import { truncate } from './format.ts';
import type { Column } from './lists.tsx';
import { BulletList, DataTable } from './lists.tsx';
import { TimeSince } from './time.tsx';
import { Tag } from './tags.tsx';

const { output: messages, variables } = commonMessages;

/** Renders an agent's output with the result of its criteria and, if the step was done before, what changed since. */
export function OutputView({
  output: { output, notDone, chars, verdict, step },
  before,
}: {
  readonly output: SessionOutput;
  /** The output of the previous attempt at the same step. */
  readonly before?: string | undefined;
}): ReactNode {
  const reason =
    notDone === undefined ? null : (
      <p className="small">{output === '' ? messages.notDone(notDone) : messages.notProved(notDone)}</p>
    );
  if (notDone !== undefined && output === '') return reason;
  const whole = <RenderedText text={output} label={messages.label(step)} />;
  return (
    <div className="stack-tight">
      {reason}
      <div className="row">
        {/* Criteria are no sign of success: an output that meets them may say that something failed. */}
        <Tag tone="skipped">{messages.claim}</Tag>
        {verdict?.valid === true && <span className="small muted">{messages.meetsCriteria}</span>}
        {verdict?.valid === false && <Tag tone="refused">{messages.missesCriteria}</Tag>}
      </div>
      <BulletList lines={verdict?.issues ?? []} className="small" />
      {before === output && <p className="small muted">{messages.unchanged}</p>}
      {before === undefined || before === output ? (
        whole
      ) : (
        <>
          <details open>
            <summary>{messages.changes}</summary>
            <Scrolling label={messages.changesOf(step)}>
              <DiffLines lines={compareTexts(before, output)} />
            </Scrolling>
          </details>
          <details>
            <summary>{messages.whole}</summary>
            {whole}
          </details>
        </>
      )}
      {chars !== undefined && <p className="small muted">{messages.cutOff(chars)}</p>}
    </div>
  );
}

/** Renders an output that was refused beside the criteria that it missed. */
export function RefusedOutputView({ step, output, issues }: Required<TimelineOutput>): ReactNode {
  return (
    <div className="columns refused-output">
      <RenderedText text={output} label={messages.label(step)} />
      <div className="stack-tight">
        <span>
          <Tag tone="refused">{messages.refused}</Tag>
        </span>
        <BulletList lines={issues} className="small" />
      </div>
    </div>
  );
}

/** Renders a table of variable changes in the given order. */
export function VariableChangesTable({
  changes,
}: {
  readonly changes: readonly VariableChange[];
}): ReactNode {
  const { columns } = variables;
  return (
    <DataTable
      label={variables.changes}
      rows={changes}
      keyOf={({ revision, name }) => `${revision} ${name}`}
      columns={[
        nameColumn(columns.variable),
        {
          name: columns.from,
          cell: ({ from }) =>
            from === undefined ? (
              <span className="muted">{variables.notSet}</span>
            ) : (
              <JsonValue value={from} />
            ),
        },
        { name: columns.to, cell: ({ to }) => <JsonValue value={to} /> },
        {
          name: columns.when,
          cell: ({ at }) => (
            <span className="muted">
              <TimeSince at={at} />
            </span>
          ),
        },
      ]}
    />
  );
}

/** The column with the names of variables. */
export function nameColumn(title: string): Column<{ readonly name: string }> {
  return { name: title, cell: ({ name }) => <code>{name}</code> };
}

/** The column with the values of variables. */
export function valueColumn(title: string): Column<{ readonly value: Json }> {
  return { name: title, cell: ({ value }) => <JsonValue value={value} /> };
}

const maxShown = 2000;
const maxLine = 60;

/** Renders a value as JSON in plain text, a long one on several lines, and cuts off a very long one. */
export function JsonValue({ value }: { readonly value: Json }): ReactNode {
  const line = JSON.stringify(value);
  const text = line.length <= maxLine ? line : JSON.stringify(value, null, 2);
  return <code className="json-value">{truncate(text, maxShown)}</code>;
}
