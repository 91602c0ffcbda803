import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useId } from 'react';
import type { WaitingGate } from '../contract.ts';
import { runTitle } from '../parts/run-title.ts';
import { TimeSince } from '../parts/time-since.tsx';
import { Tag } from '../parts/tone.tsx';
import { TrustTags } from '../parts/trust-tags.tsx';
import { AnswerForm } from './answer-form.tsx';
import { EvidencePart } from './evidence-part.tsx';
import { QuestionText } from './question-text.tsx';
import { QuestionValues } from './question-values.tsx';
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
  const { run, question, evidence, isShortened = false } = gate;
  const { activity, definition, parts, values, yieldedAt, needsHuman } = question;
  return (
    <article className="card gate" aria-labelledby={heading}>
      <header className="stack-tight">
        <div className="row-apart">
          <h2 id={heading}>
            <QuestionText parts={parts.name} values={values} />
          </h2>
          <span className="row small muted">
            <TrustTags run={run} />
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
        <p className="small muted">
          {'Definition '}
          <code title={definition.digest}>{definition.digest.slice(0, 23)}</code>
          {definition.source !== undefined && ` from ${definition.source}`}
        </p>
      </header>
      <p className="gate-message">
        <QuestionText parts={parts.message} values={values} />
      </p>
      <QuestionValues values={values} />
      {isShortened ? (
        <p>
          <Link to="/runs/$sid" params={{ sid: run.sid }}>
            Read the whole question and answer it
          </Link>
        </p>
      ) : (
        <AnswerForm gate={gate} onSettled={onSettled} />
      )}
      <EvidencePart evidence={evidence} />
    </article>
  );
}
