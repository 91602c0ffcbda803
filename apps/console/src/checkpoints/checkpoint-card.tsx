import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { AuthenticityTags, sessionTitle } from '../components/session-tags.tsx';
import { TimeSince } from '../components/time.tsx';
import { Tag } from '../components/tone.tsx';
import { OutputView, VariableChangesTable } from '../components/values.tsx';
import type { Evidence, SessionDetail, WaitingCheckpoint } from '../contract.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';
import { AnswerForm } from './answer-form.tsx';
import type { ClosedCheckpoint } from './closed-checkpoints.tsx';
import { QuestionText, QuestionValues } from './question.tsx';

const { card: messages, evidence: evidenceTexts } = checkpointMessages;

/** Renders a checkpoint that needs an answer: its question, the evidence and the options. */
export function CheckpointCard({
  checkpoint,
  onClosed,
}: {
  readonly checkpoint: WaitingCheckpoint;
  readonly onClosed: (closed: ClosedCheckpoint) => void;
}): ReactNode {
  const heading = useId();
  const { run, question, evidence, isShortened = false } = checkpoint;
  const { activity, definition, parts, values, yieldedAt, needsHuman } = question;
  return (
    <article className="card gate" aria-labelledby={heading}>
      <header className="stack-tight">
        <div className="row-apart">
          <h2 id={heading}>
            <QuestionText parts={parts.name} values={values} />
          </h2>
          <span className="row small muted">
            <AuthenticityTags run={run} />
            {needsHuman && <Tag tone="waits">{messages.needsPerson}</Tag>}
            <span>
              {messages.asked} <TimeSince at={yieldedAt} />
            </span>
          </span>
        </div>
        <p className="small muted">
          <Link to="/runs/$sid" params={{ sid: run.sid }}>
            {sessionTitle(run)}
          </Link>
          {messages.in}
          <code>{activity}</code>
          {messages.agent(run.agent)}
        </p>
        <p className="small muted">
          {messages.definition}
          <code title={definition.digest}>{definition.digest.slice(0, 23)}</code>
          {definition.source !== undefined && messages.source(definition.source)}
        </p>
      </header>
      <p className="gate-message">
        <QuestionText parts={parts.message} values={values} />
      </p>
      <QuestionValues values={values} />
      {isShortened ? (
        <p>
          <Link to="/runs/$sid" params={{ sid: run.sid }}>
            {messages.cutOff}
          </Link>
        </p>
      ) : (
        <AnswerForm checkpoint={checkpoint} onClosed={onClosed} />
      )}
      <EvidenceList evidence={evidence} />
    </article>
  );
}

/** Renders the last outputs and the last changes of variables. */
function EvidenceList({ evidence: { outputs, variables } }: { readonly evidence: Evidence }): ReactNode {
  if (outputs.length === 0 && variables.length === 0)
    return <p className="small muted">{evidenceTexts.none}</p>;
  return (
    <div className="evidence stack">
      {outputs.map((output, at) => (
        <details key={`${output.revision} ${output.step}`} open={at === 0}>
          <summary>
            {evidenceTexts.outputOf}
            <code>{output.step}</code>
          </summary>
          <OutputView output={output} />
        </details>
      ))}
      {variables.length > 0 && (
        <details>
          <summary>{evidenceTexts.variables}</summary>
          <VariableChangesTable changes={variables} />
        </details>
      )}
    </div>
  );
}

const mostOutputs = 5;
const mostVariables = 20;

/** Returns the evidence for a session's checkpoint as the list of checkpoints has it, but with longer outputs. */
export function evidenceOf({
  outputs,
  story: { variables },
}: Pick<SessionDetail, 'outputs' | 'story'>): Evidence {
  return {
    outputs: outputs.slice(-mostOutputs).toReversed(),
    variables: variables.slice(-mostVariables).toReversed(),
  };
}
