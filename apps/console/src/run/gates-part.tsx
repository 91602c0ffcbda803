import type { ReactNode } from 'react';
import type { Run } from '../contract.ts';
import { Empty } from '../parts/empty.tsx';
import { Notice } from '../parts/notice.tsx';
import { Moment } from '../parts/time-since.tsx';
import { Tag } from '../parts/tone.tsx';
import { answerWord, howAnswered, whoAnswered } from './answer-words.ts';

/** Every checkpoint a run stopped at, and who said what. */
export function GatesPart({ run: { story } }: { readonly run: Run }): ReactNode {
  if (story.gates.length === 0) return <Empty title="It stopped at no checkpoint yet." />;
  return (
    <ol className="stack" aria-label="Checkpoints">
      {story.gates.map(({ checkpoint, activity, yieldedAt, answered }) => (
        <li key={yieldedAt} className="card stack-tight">
          <div className="row-apart">
            <h2>{checkpoint}</h2>
            {answered === undefined ? (
              <Tag tone="waits">not answered</Tag>
            ) : (
              <Tag tone="done">{answerWord(answered.answer)}</Tag>
            )}
          </div>
          <p className="small muted">
            In {activity}, since <Moment at={yieldedAt} />
          </p>
          {answered !== undefined && (
            <p className="small">
              Answered by {whoAnswered(answered)}, <Moment at={answered.at} />
            </p>
          )}
          {answered?.origin !== undefined && <p className="small muted">{howAnswered(answered.origin)}</p>}
          {answered?.isImported === true && <Tag tone="refused">imported, not decided here</Tag>}
          {answered?.decided?.isAsAsked === false && (
            <Notice tone="refused" title="The question is no longer the one that was answered.">
              <p>Its text, its options, a value in it or the definition changed after this answer.</p>
            </Notice>
          )}
          {answered?.note !== undefined && <blockquote className="note">{answered.note}</blockquote>}
        </li>
      ))}
    </ol>
  );
}
