import { useMutation } from '@tanstack/react-query';
import type { Json } from '@workflowlookup/schema';
import { FastForward, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { callApi } from '../api/client.ts';
import { Button, FilterSelect, Form } from '../components/controls.tsx';
import { JsonInput, readObject } from '../components/json.tsx';
import { ErrorNotice, Notice } from '../components/notice.tsx';
import { OutcomeTag } from '../components/tags.tsx';
import type { DryRun, DryRunRequest, WorkflowDetail } from '../contract/index.ts';
import { LazyGraph } from '../graph/lazy-graph.tsx';
import { workflowMessages } from '../messages/workflows.ts';
import { ConsideredList, TrialPanel, TurnList, WarningList } from './trial.tsx';

const { walk: messages } = workflowMessages;

/** Lets the user follow a workflow step by step, or simulate it to its end with chosen variables and answers. */
export function WalkTab({
  outline,
  graph,
  draft,
}: Pick<WorkflowDetail, 'outline' | 'graph'> & Pick<DryRunRequest, 'draft'>): ReactNode {
  const [text, setText] = useState(() => JSON.stringify(proposed(outline), null, 2));
  const [answers, setAnswers] = useState<Answers>({});
  const context = readObject(text);
  const walk = useMutation({
    mutationFn: (body: DryRunRequest) => callApi('POST /walk', { body }),
  });
  const [trial, setTrial] = useState<NonNullable<typeof context.value>>();
  const start = { workflowId: outline.id, ...(draft !== undefined && { draft }) };
  if (trial !== undefined)
    return (
      <TrialPanel
        start={{ ...start, context: trial }}
        graph={graph}
        outline={outline}
        onClose={() => setTrial(undefined)}
      />
    );
  return (
    <div className="two-columns">
      <Form
        className="card stack"
        onSubmit={() => setTrial(context.value && changedBy(context.value, outline))}
      >
        <p>{messages.lead}</p>
        <JsonInput label={messages.variables} json={context} onChange={setText} rows={8} />
        <div className="row">
          <Button type="submit" look="main" icon={Play} disabled={context.value === undefined}>
            {messages.follow}
          </Button>
          <Button
            icon={FastForward}
            disabled={context.value === undefined || walk.isPending}
            onClick={() =>
              walk.mutate({ ...start, context: changedBy(context.value ?? {}, outline), answers })
            }
          >
            {messages.start}
          </Button>
        </div>
        <WalkAnswers outline={outline} answers={answers} onChange={setAnswers} />
        <ErrorNotice title={messages.failed} error={walk.error} />
      </Form>
      {walk.data !== undefined && <WalkResult walk={walk.data} graph={graph} name={outline.name} />}
    </div>
  );
}

function WalkResult({
  walk,
  graph,
  name,
}: { readonly walk: DryRun; readonly name: string } & Pick<WorkflowDetail, 'graph'>): ReactNode {
  const [at, setAt] = useState<string>();
  return (
    <div className="stack" aria-live="polite">
      <LazyGraph
        graph={graph}
        label={messages.graph(name)}
        highlighted={at === undefined ? walk.turns.map(({ node }) => node) : [at]}
      />
      <TurnList turns={walk.turns} answered={walk.answered} onShow={setAt} />
      <WalkEnd {...walk} />
    </div>
  );
}

/** Says how a simulated session ended, and why it did not go further. */
function WalkEnd({ end, why, left, outcome, warnings }: DryRun): ReactNode {
  return (
    <Notice tone={end === 'completed' ? 'done' : 'waits'} title={messages.ends[end]}>
      {outcome !== undefined && (
        <p className="row">
          {workflowMessages.trial.outcome}
          <OutcomeTag ended={outcome} />
        </p>
      )}
      <WarningList warnings={warnings} />
      {why !== undefined && <p>{why}</p>}
      {left.length > 0 && <ConsideredList considered={left} />}
    </Notice>
  );
}

/** The chosen option for each checkpoint, by `activity/checkpoint`. */
type Answers = NonNullable<DryRunRequest['answers']>;

function WalkAnswers({
  outline: { activities = [] },
  answers,
  onChange,
}: {
  readonly outline: WorkflowDetail['outline'];
  readonly answers: Answers;
  readonly onChange: (answers: Answers) => void;
}): ReactNode {
  const asked = activities.flatMap(({ id, checkpoints }) =>
    checkpoints.map((checkpoint) => ({ key: `${id}/${checkpoint.id}`, ...checkpoint })),
  );
  if (asked.length === 0) return null;
  return (
    <details>
      <summary>{messages.answers(asked.length)}</summary>
      <div className="stack">
        {asked.map(({ key, name, options }) => (
          <FilterSelect
            key={key}
            label={name}
            none={messages.firstOption(options[0]?.label ?? '')}
            options={options.map(({ id, label }) => [id, label] as const)}
            value={answers[key]}
            onChange={(option) => {
              const others = Object.entries(answers).filter(([one]) => one !== key);
              onChange(Object.fromEntries(option === undefined ? others : [...others, [key, option]]));
            }}
          />
        ))}
      </div>
    </details>
  );
}

const empties: Readonly<Record<string, Json>> = {
  string: '',
  number: 0,
  boolean: false,
  array: [],
  object: {},
};

/** Returns the value that the form proposes for each variable: its default, or the empty value of its type. */
function proposed({ variables }: WorkflowDetail['outline']): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    variables.map(({ name, type, default: value }) => [name, value ?? empties[type] ?? null]),
  );
}

/**
 * Returns the values that the user changed. A session starts with the defaults anyway, and the values that the form
 * proposes for other variables only show their types.
 */
function changedBy(
  values: Readonly<Record<string, Json>>,
  outline: WorkflowDetail['outline'],
): Readonly<Record<string, Json>> {
  const unchanged = proposed(outline);
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(unchanged[name]),
    ),
  );
}
