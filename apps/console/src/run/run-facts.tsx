import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Run } from '../contract.ts';
import { Fact } from '../parts/fact.tsx';
import { plural } from '../parts/plural.ts';
import { Moment, TimeSince } from '../parts/time-since.tsx';
import { Tag } from '../parts/tone.tsx';

/** A run in short. */
export function RunFacts({ run: { row, story } }: { readonly run: Run }): ReactNode {
  return (
    <dl className="card fact-grid">
      <Fact name="Workflow">
        <Link to="/workflows/$id" params={{ id: row.workflowId }}>
          {row.workflowId}
        </Link>{' '}
        {row.version}
      </Fact>
      <Fact name="Stands at">{row.checkpoint ?? row.current ?? '—'}</Fact>
      <Fact name="Progress">
        {row.progress.done} of {row.progress.of}
      </Fact>
      <Fact name="Agent">{row.agent}</Fact>
      <Fact name="Enforcement">{story.enforcement}</Fact>
      <Fact name="Started">
        <Moment at={row.createdAt} />
      </Fact>
      <Fact name="Changed">
        <TimeSince at={row.updatedAt} />
      </Fact>
      <Fact name="Journal">
        <Chain chain={story.chain} />
      </Fact>
      {row.imported !== undefined && (
        <Fact name="Imported">
          <Moment at={row.imported.at} /> by {row.imported.by},{' '}
          {row.imported.isAuthentic
            ? 'sealed by a key of this server'
            : 'sealed by no key of this server: it can be read but not continued'}
        </Fact>
      )}
      {row.unauthentic !== undefined && (
        <Fact name="Authenticity">
          <Tag tone="refused">{row.unauthentic}</Tag> It can be read but not continued.
        </Fact>
      )}
      {story.parent !== undefined && (
        <Fact name="Started from">
          <Link to="/runs/$sid" params={{ sid: story.parent.sid }}>
            {story.parent.workflowId}
          </Link>
        </Fact>
      )}
      {row.project !== undefined && (
        <Fact name="Folder">
          <code>{row.project}</code>
        </Fact>
      )}
    </dl>
  );
}

/** Whether a journal is what was sealed. */
function Chain({ chain }: Pick<Run['story'], 'chain'>): ReactNode {
  if (chain.ok) return <Tag tone="done">verified, {plural(chain.events, 'event')}</Tag>;
  return <Tag tone="refused">broken at event {chain.brokenAt}</Tag>;
}
