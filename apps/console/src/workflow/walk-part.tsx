import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { ask } from '../api/ask.ts';
import { reasonOf } from '../api/refusal.ts';
import type { Walk, WalkRequest, WorkflowDetail } from '../contract.ts';
import { LateGraph } from '../graph/late-graph.tsx';
import { JsonInput } from '../parts/json-input.tsx';
import { Notice } from '../parts/notice.tsx';
import { readObject } from '../parts/read-json.ts';
import { exampleContext } from './example-context.ts';
import type { Answers } from './walk-answers.tsx';
import { WalkAnswers } from './walk-answers.tsx';
import { WalkTurns } from './walk-turns.tsx';

/** Walks a workflow with chosen variables and answers, in a session that is kept nowhere. */
export function WalkPart({
  outline,
  graph,
  text: definition,
}: Pick<WorkflowDetail, 'outline' | 'graph'> & {
  /** The definition, where it is not the one that is served. */
  readonly text?: string;
}): ReactNode {
  const [text, setText] = useState(() => exampleContext(outline));
  const [answers, setAnswers] = useState<Answers>({});
  const context = readObject(text);
  const walk = useMutation({
    mutationFn: (body: WalkRequest) => ask('POST /walk', { body }),
  });
  return (
    <div className="two-columns">
      <form
        className="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (context.value === undefined) return;
          walk.mutate({
            workflowId: outline.id,
            context: context.value,
            answers,
            ...(definition !== undefined && { text: definition }),
          });
        }}
      >
        <JsonInput label="Variables at the start, as JSON" json={context} onChange={setText} rows={8} />
        <WalkAnswers outline={outline} answers={answers} onChange={setAnswers} />
        <div>
          <button className="button button-main" disabled={context.value === undefined || walk.isPending}>
            <Play size={16} aria-hidden />
            Walk
          </button>
        </div>
        {walk.error !== null && (
          <Notice tone="refused" title="It could not be walked.">
            <p>{reasonOf(walk.error)}</p>
          </Notice>
        )}
      </form>
      {walk.data !== undefined && <WalkResult walk={walk.data} graph={graph} name={outline.name} />}
    </div>
  );
}

function WalkResult({
  walk,
  graph,
  name,
}: { readonly walk: Walk; readonly name: string } & Pick<WorkflowDetail, 'graph'>): ReactNode {
  const [at, setAt] = useState<string>();
  return (
    <div className="stack" aria-live="polite">
      <LateGraph
        graph={graph}
        label={`Picture of ${name}; the turns below say the same`}
        marked={at === undefined ? walk.turns.map(({ node }) => node) : [at]}
      />
      <WalkTurns walk={walk} onShow={setAt} />
    </div>
  );
}
