import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useId } from 'react';
import type { WaitingGate } from '../contract.ts';
import { runTitle } from '../parts/run-title.ts';
import { TimeSince } from '../parts/time-since.tsx';
import { Tag } from '../parts/tone.tsx';
import { AnswerForm } from './answer-form.tsx';
import { EvidencePart } from './evidence-part.tsx';
import type { Settled } from './settled.ts';

/** A checkpoint that waits: what is asked, what there is to judge by, and the answers. */
export function GateCard({
  gate,
  onSettled,
}: {
  readonly gate: WaitingGate;
  readonly onSettled: (settled: Settled) => void;
}): ReactNode {
  const heading = useId();
  const { run, question, evidence } = gate;
  const { checkpoint, activity, yieldedAt, needsHuman } = question;
  return (
    <article className="card gate" aria-labelledby={heading}>
      <header className="stack-tight">
        <div className="row-apart">
          <h2 id={heading}>{checkpoint.name}</h2>
          <span className="row small muted">
            {needsHuman && <Tag tone="waits">only a person may answer</Tag>}
            <span>
              asked <TimeSince at={yieldedAt} />
            </span>
          </span>
        </div>
        <p className="small muted">
          <Link to="/runs/$sid" params={{ sid: run.sid }}>
            {runTitle(run)}
          </Link>
          {' at '}
          <code>{activity}</code>
          {', agent '}
          {run.agent}
        </p>
      </header>
      <p className="gate-message">{checkpoint.message}</p>
      <AnswerForm gate={gate} onSettled={onSettled} />
      <EvidencePart evidence={evidence} />
    </article>
  );
}
