import type { ReactNode } from 'react';
import { Notice } from '../components/notice.tsx';
import { OutcomeTag, Tag } from '../components/tags.tsx';
import { JsonValue } from '../components/values.tsx';
import type { DryRun, DryRunStep } from '../contract/index.ts';
import { workflowMessages } from '../messages/workflows.ts';

const { walk: messages } = workflowMessages;

const verdictTones = { chosen: 'done', skipped: 'skipped', 'not-reached': 'planned' } as const;

/** Renders the turns of a session that is tried out, each with the alternatives and the reasons. */
export function TurnList({
  turns,
  answered: last = [],
  onShow,
}: {
  readonly turns: readonly DryRunStep[];
  /** Questions that were answered after the last turn. */
  readonly answered?: DryRunStep['answered'];
  /** Called with a step or an activity to highlight it in the graph, or with undefined to highlight all turns. */
  readonly onShow?: (node: string | undefined) => void;
}): ReactNode {
  return (
    <ol className="stack" aria-label={messages.turns}>
      {turns.flatMap(({ at, name, node, considered, answered, sets, warnings, assumed = {} }, index) => [
        ...answeredEntries(answered, index, messages.questionBetween(turns[index - 1]?.name ?? '', name)),
        <li
          key={`${index} ${at}`}
          className="card stack-tight"
          onMouseEnter={() => onShow?.(node)}
          onMouseLeave={() => onShow?.(undefined)}
        >
          <h2>
            {messages.turn(index + 1, name)}
            <code className="muted">{at}</code>
          </h2>
          <WarningList warnings={warnings} />
          <ConsideredList considered={considered} />
          {Object.entries(sets).map(([variable, value]) => (
            <p key={variable} className="small muted">
              {Object.hasOwn(assumed, variable) && messages.assumed}
              <code>{variable}</code> = <JsonValue value={value} />
            </p>
          ))}
        </li>,
      ])}
      {answeredEntries(last, turns.length, messages.questionAtEnd(turns.at(-1)?.name ?? ''))}
    </ol>
  );
}

/** Renders the questions that were answered before the turn at this index. `where` says when they were asked. */
function answeredEntries(
  answered: DryRunStep['answered'],
  turn: number,
  where: string,
): readonly ReactNode[] {
  return answered.map(({ checkpoint, name, label }, place) => (
    <li key={`${turn} ${place} ?`} className="card stack-tight">
      <h2>
        {messages.question(name)}
        <code className="muted">{checkpoint}</code>
      </h2>
      <p className="small muted">{where}</p>
      <p className="row small">
        {messages.answered} <Tag tone="planned">{label}</Tag>
      </p>
    </li>
  ));
}

function WarningList({ warnings }: { readonly warnings: readonly string[] }): ReactNode {
  return warnings.map((warning) => (
    <p key={warning} className="small warns">
      {warning}
    </p>
  ));
}

/** Says how a simulated session ended, and why it did not go further. */
export function WalkEnd({ end, why, left, outcome, warnings }: DryRun): ReactNode {
  return (
    <Notice tone={end === 'completed' ? 'done' : 'waits'} title={messages.ends[end]}>
      {outcome !== undefined && (
        <p className="row">
          {workflowMessages.trial.outcome}
          <OutcomeTag ended={outcome} />
        </p>
      )}
      <WarningList warnings={warnings} />
      {why !== undefined && <p>{why}</p>}
      {left.length > 0 && <ConsideredList considered={left} />}
    </Notice>
  );
}

export function ConsideredList({ considered }: Pick<DryRunStep, 'considered'>): ReactNode {
  return (
    <ul className="considered stack-tight small">
      {considered.map(({ target, verdict, why, undecided }, at) => (
        <li key={`${at} ${target}`}>
          <Tag tone={verdictTones[verdict]}>{messages.verdicts[verdict]}</Tag>
          <span>
            <code>{target}</code> <span className="muted">{why}</span>
            {undecided.length > 0 && <span className="muted">{messages.unset(undecided.join(', '))}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
