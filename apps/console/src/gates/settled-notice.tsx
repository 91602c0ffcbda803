import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { Notice } from '../parts/notice.tsx';
import { runTitle } from '../parts/run-title.ts';
import type { Settled } from './settled.ts';

const tones = { answered: 'done', conflict: 'waits', elsewhere: 'plain' } as const;

/** Says how a checkpoint stopped waiting; reading goes on here after an answer of one's own. */
export function SettledNotice({
  settled: { gate, how, text },
  onClose,
}: {
  readonly settled: Settled;
  readonly onClose: () => void;
}): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (how !== 'elsewhere') place.current?.focus();
  }, [how]);
  const { run, question } = gate;
  return (
    <div ref={place} tabIndex={-1}>
      <Notice tone={tones[how]} title={`${runTitle(run)}: ${question.checkpoint.name}`}>
        <p>{text}</p>
        <p className="row">
          <Link to="/runs/$sid" params={{ sid: run.sid }}>
            See the run
          </Link>
          <button type="button" className="button button-quiet button-small" onClick={onClose}>
            Close
          </button>
        </p>
      </Notice>
    </div>
  );
}
