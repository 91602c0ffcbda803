import type { ReactNode } from 'react';
import type { Considered, Walk } from '../contract.ts';
import { Notice } from '../parts/notice.tsx';
import type { Tone } from '../parts/tone.tsx';
import { Tag } from '../parts/tone.tsx';
import { ValueText } from '../parts/value-text.tsx';

const verdicts: Readonly<Record<Considered['verdict'], readonly [Tone, string]>> = {
  chosen: ['done', 'chosen'],
  skipped: ['skipped', 'skipped'],
  'not-reached': ['planned', 'not reached'],
};

const ends: Readonly<Record<Walk['end'], string>> = {
  completed: 'It came to its end.',
  stuck: 'It goes no further.',
  endless: 'It does not end.',
};

/** The turns of a walk, each with what was considered and why it was chosen or skipped. */
export function WalkTurns({
  walk: { turns, end, why, left },
  onShow,
}: {
  readonly walk: Walk;
  /** A step or activity to show in the picture; nothing for all. */
  readonly onShow: (node: string | undefined) => void;
}): ReactNode {
  return (
    <>
      <ol className="stack" aria-label="Turns">
        {turns.map(({ at, name, node, considered, answered, sets }, index) => (
          <li
            key={`${index} ${at}`}
            className="card stack-tight"
            onMouseEnter={() => onShow(node)}
            onMouseLeave={() => onShow(undefined)}
          >
            <h2>
              {index + 1}. {name} <code className="muted">{at}</code>
            </h2>
            <ConsideredList considered={considered} />
            {answered.map(({ checkpoint, option }) => (
              <p key={checkpoint} className="small">
                {checkpoint}: <strong>{option}</strong>
              </p>
            ))}
            {Object.entries(sets).map(([variable, value]) => (
              <p key={variable} className="small muted">
                <code>{variable}</code> = <ValueText value={value} />
              </p>
            ))}
          </li>
        ))}
      </ol>
      <Notice tone={end === 'completed' ? 'done' : 'waits'} title={ends[end]}>
        {why !== undefined && <p>{why}</p>}
        {left.length > 0 && <ConsideredList considered={left} />}
      </Notice>
    </>
  );
}

function ConsideredList({ considered }: { readonly considered: readonly Considered[] }): ReactNode {
  return (
    <ul className="considered small">
      {considered.map(({ target, verdict, why, undecided }, at) => (
        <li key={`${at} ${target}`}>
          <Tag tone={verdicts[verdict][0]}>{verdicts[verdict][1]}</Tag>
          <span>
            <code>{target}</code> <span className="muted">{why}</span>
            {undecided.length > 0 && (
              <span className="muted">
                {' '}
                Nobody set {undecided.join(', ')}, which could have changed that.
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
