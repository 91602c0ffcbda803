import type { ReactNode } from 'react';
import type { WorkflowDetail } from '../contract.ts';
import { effectSentences } from '../gates/effect-sentences.ts';
import { Tag } from '../parts/tone.tsx';

type Activity = NonNullable<WorkflowDetail['outline']['activities']>[number];

/** An activity: its steps, what it asks, and where it leads. */
export function ActivityOutline({ activity }: { readonly activity: Activity }): ReactNode {
  const { id, name, isFirst, lender, steps, loops, checkpoints, ways } = activity;
  return (
    <section className="card stack">
      <h2 className="row">
        {name} <code className="muted">{id}</code>
        {isFirst && <Tag tone="current">first</Tag>}
      </h2>
      {lender !== undefined && <p className="small muted">From {lender}.</p>}
      <StepLines steps={steps} />
      {loops.map((loop) => (
        <div key={loop.id} className="stack-tight">
          <h3>{loop.name}</h3>
          <p className="small muted">
            Loop: {loop.rounds}
            {loop.activities !== undefined && ` over ${loop.activities.join(', ')}`}
          </p>
          <StepLines steps={loop.steps} />
        </div>
      ))}
      {checkpoints.map((checkpoint) => (
        <CheckpointOutline key={checkpoint.id} checkpoint={checkpoint} />
      ))}
      <ul className="small" aria-label="Where it leads">
        {ways.map(({ to, when, isDefault }) => (
          <li key={`${to} ${when}`}>
            → <code>{to ?? 'nowhere in particular'}</code>
            {when !== undefined && <span className="muted"> when {when}</span>}
            {isDefault && <span className="muted"> otherwise</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function StepLines({ steps }: Pick<Activity, 'steps'>): ReactNode {
  if (steps.length === 0) return null;
  return (
    <ol className="outline">
      {steps.map(({ id, name, when, checkpoint, isOptional, criteria }) => (
        <li key={id}>
          <strong>{name ?? id}</strong> {name !== undefined && <code className="muted">{id}</code>}
          <p className="small muted">
            {[
              when === undefined ? '' : `When ${when}.`,
              checkpoint === undefined ? '' : `Stops at ${checkpoint}.`,
              isOptional ? 'May be left out.' : '',
              ...(criteria ?? []),
            ]
              .filter(Boolean)
              .join(' ')}
          </p>
        </li>
      ))}
    </ol>
  );
}

function CheckpointOutline({
  checkpoint,
}: {
  readonly checkpoint: Activity['checkpoints'][number];
}): ReactNode {
  const { name, message, when, approver, options } = checkpoint;
  return (
    <div className="stack-tight gate-outline">
      <h3 className="row">
        {name}
        {approver === 'human' && <Tag tone="waits">only a person may answer</Tag>}
      </h3>
      <p>{message}</p>
      {when !== undefined && <p className="small muted">When {when}</p>}
      <ul className="bullets small">
        {options.map(({ id, label, sets, leadsTo, skips }) => (
          <li key={id}>
            {label}{' '}
            <span className="muted">
              {effectSentences({
                ...(sets !== undefined && { setVariable: sets }),
                ...(leadsTo !== undefined && { transitionTo: leadsTo }),
                ...(skips !== undefined && { skipActivities: skips }),
              }).join(' ')}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
