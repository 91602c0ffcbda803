import { useMutation } from '@tanstack/react-query';
import type { Json } from '@workflowlookup/schema';
import { Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { callApi, errorMessage } from '../api/client.ts';
import { FilterSelect, JsonInput } from '../components/inputs.tsx';
import { readObject } from '../components/read-json.ts';
import { Notice } from '../components/notice.tsx';
import type { Tone } from '../components/tags.tsx';
import { Tag } from '../components/tags.tsx';
import { JsonValue } from '../components/values.tsx';
import type { ConsideredTarget, DryRun, DryRunRequest, WorkflowDetail } from '../contract.ts';
import { LazyGraph } from '../graph/lazy-graph.tsx';
import { workflowMessages } from '../messages/workflows.ts';

const { walk: messages } = workflowMessages;

/** Renders a form that simulates a session with chosen variables and answers, and the result. */
export function WalkTab({
  outline,
  graph,
  text: definition,
}: Pick<WorkflowDetail, 'outline' | 'graph'> & {
  readonly text?: string;
}): ReactNode {
  const [text, setText] = useState(() => initialVariables(outline));
  const [answers, setAnswers] = useState<Answers>({});
  const context = readObject(text);
  const walk = useMutation({
    mutationFn: (body: DryRunRequest) => callApi('POST /walk', { body }),
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
        <JsonInput label={messages.variables} json={context} onChange={setText} rows={8} />
        <WalkAnswers outline={outline} answers={answers} onChange={setAnswers} />
        <div>
          <button className="button button-main" disabled={context.value === undefined || walk.isPending}>
            <Play size={16} aria-hidden />
            {messages.start}
          </button>
        </div>
        {walk.error !== null && (
          <Notice tone="refused" title={messages.failed}>
            <p>{errorMessage(walk.error)}</p>
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
}: { readonly walk: DryRun; readonly name: string } & Pick<WorkflowDetail, 'graph'>): ReactNode {
  const [at, setAt] = useState<string>();
  return (
    <div className="stack" aria-live="polite">
      <LazyGraph
        graph={graph}
        label={messages.graph(name)}
        highlighted={at === undefined ? walk.turns.map(({ node }) => node) : [at]}
      />
      <WalkTurns walk={walk} onShow={setAt} />
    </div>
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
  return asked.map(({ key, name, options }) => (
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
  ));
}

const verdicts: Readonly<Record<ConsideredTarget['verdict'], readonly [Tone, string]>> = {
  chosen: ['done', messages.verdicts.chosen],
  skipped: ['skipped', messages.verdicts.skipped],
  'not-reached': ['planned', messages.verdicts['not-reached']],
};

/** Renders the turns of a simulated session, each with the alternatives and the reasons. */
function WalkTurns({
  walk: { turns, end, why, left },
  onShow,
}: {
  readonly walk: DryRun;
  /** Called with a step or an activity to highlight it in the graph, or with undefined to highlight all turns. */
  readonly onShow: (node: string | undefined) => void;
}): ReactNode {
  return (
    <>
      <ol className="stack" aria-label={messages.turns}>
        {turns.map(({ at, name, node, considered, answered, sets, assumed = {} }, index) => (
          <li
            key={`${index} ${at}`}
            className="card stack-tight"
            onMouseEnter={() => onShow(node)}
            onMouseLeave={() => onShow(undefined)}
          >
            <h2>
              {messages.turn(index + 1, name)}
              <code className="muted">{at}</code>
            </h2>
            <ConsideredList considered={considered} />
            {answered.map(({ checkpoint, option }) => (
              <p key={checkpoint} className="small">
                {messages.answered(checkpoint)}
                <strong>{option}</strong>
              </p>
            ))}
            {Object.entries(sets).map(([variable, value]) => (
              <p key={variable} className="small muted">
                {Object.hasOwn(assumed, variable) && messages.assumed}
                <code>{variable}</code> = <JsonValue value={value} />
              </p>
            ))}
          </li>
        ))}
      </ol>
      <Notice tone={end === 'completed' ? 'done' : 'waits'} title={messages.ends[end]}>
        {why !== undefined && <p>{why}</p>}
        {left.length > 0 && <ConsideredList considered={left} />}
      </Notice>
    </>
  );
}

function ConsideredList({ considered }: { readonly considered: readonly ConsideredTarget[] }): ReactNode {
  return (
    <ul className="considered small">
      {considered.map(({ target, verdict, why, undecided }, at) => (
        <li key={`${at} ${target}`}>
          <Tag tone={verdicts[verdict][0]}>{verdicts[verdict][1]}</Tag>
          <span>
            <code>{target}</code> <span className="muted">{why}</span>
            {undecided.length > 0 && <span className="muted">{messages.unset(undecided.join(', '))}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

const empties: Readonly<Record<string, Json>> = {
  string: '',
  number: 0,
  boolean: false,
  array: [],
  object: {},
};

/** Returns the initial variables as JSON: the default of each variable, or the empty value of its type. */
function initialVariables({ variables }: WorkflowDetail['outline']): string {
  const values = variables.map(({ name, type, default: value }) => [name, value ?? empties[type] ?? null]);
  return JSON.stringify(Object.fromEntries(values), null, 2);
}
