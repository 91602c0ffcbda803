import type { ReactNode } from 'react';
import { OutputView, VariableChangesTable } from '../components/values.tsx';
import { Moment } from '../components/time.tsx';
import type { Evidence, SessionOutput, WaitingCheckpoint } from '../contract.ts';
import { answeredBy, checkpointMessages } from '../messages/checkpoints.ts';
import { nameOf } from '../sessions/session-names.ts';
import { CollectedEvidence } from './collected-evidence.tsx';
import { AnswerNote } from './question-text.tsx';

const { evidence: messages } = checkpointMessages;

/**
 * Renders what there is to judge a checkpoint by: what the server collected, the latest output of each step, those submitted last first and open,
 * then the changed variables.
 */
export function EvidenceSections({
  evidence: { collected, outputs, variables },
  names,
  project,
}: {
  readonly evidence: Evidence;
  readonly names: WaitingCheckpoint['names'];
  /** The folder in which the session was started, if that is known. */
  readonly project: string | undefined;
}): ReactNode {
  const latest = outputs
    .filter((one, at) => outputs.findIndex((other) => stepKey(other) === stepKey(one)) === at)
    .toReversed()
    .toSorted((one, other) => other.revision - one.revision);
  const newest = latest[0]?.revision;
  return (
    <>
      <CollectedEvidence evidence={collected} names={names} project={project} />
      {latest.length === 0 && variables.length === 0 ? (
        <p className="small muted">{messages.none}</p>
      ) : (
        <section className="evidence stack" aria-label={messages.title}>
          <h3>{messages.title}</h3>
          {latest.map((output) => (
            <details key={`${output.revision} ${output.step}`} open={output.revision === newest}>
              <summary>
                {nameOf(output.step, (id) => names[id])}
                {output.activity !== output.step && messages.of(nameOf(output.activity, (id) => names[id]))}
              </summary>
              <OutputView
                output={output}
                before={
                  outputs.find((one) => one.revision < output.revision && stepKey(one) === stepKey(output))
                    ?.output
                }
              />
            </details>
          ))}
          {variables.length > 0 && (
            <details>
              <summary>{messages.variables}</summary>
              <VariableChangesTable changes={variables} />
            </details>
          )}
        </section>
      )}
    </>
  );
}

function stepKey({ activity, step }: SessionOutput): string {
  return `${activity} ${step}`;
}

/** Renders what was answered before to the same checkpoint of the session, or nothing the first time. */
export function EarlierAnswers({
  earlier,
  question,
}: Pick<WaitingCheckpoint, 'earlier' | 'question'>): ReactNode {
  const last = earlier.at(-1)?.answered;
  if (last === undefined || last.answer.kind === 'dismissed') return null;
  const { option: id } = last.answer;
  const label = question.checkpoint.options.find((option) => option.id === id)?.label ?? id;
  return (
    <div className="earlier stack-tight">
      <p className="small">
        {messages.earlier(answeredBy(last), label, earlier.length)} <Moment at={last.at} />
      </p>
      <AnswerNote {...last} />
    </div>
  );
}
