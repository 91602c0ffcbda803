import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Json } from '@workflowlookup/schema';
import { Check, CornerUpLeft, FastForward, RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import { callApi } from '../api/client.ts';
import { Button, Form, TextField } from '../components/controls.tsx';
import { JsonInput, readObject } from '../components/json.tsx';
import { ListNotice } from '../components/lists.tsx';
import { ErrorNotice } from '../components/notice.tsx';
import { OutcomeTag, Tag } from '../components/tags.tsx';
import { JsonValue } from '../components/values.tsx';
import type {
  DryRunRequest,
  DryRunStep,
  Trial,
  TrialAction,
  TrialPosition,
  TrialStep,
  WorkflowDetail,
} from '../contract/index.ts';
import { LazyGraph } from '../graph/lazy-graph.tsx';
import { workflowMessages } from '../messages/workflows.ts';
import { fieldsOfStep, StepRules } from './outline.tsx';

const { trial: messages, walk: walkTexts } = workflowMessages;

/**
 * Follows a workflow step by step as an agent does. The server stores nothing: each request has every action from the
 * start.
 */
export function TrialPanel({
  start,
  graph,
  outline,
  onClose,
}: {
  /** The workflow and its initial variables. */
  readonly start: Pick<DryRunRequest, 'workflowId' | 'context' | 'draft'>;
  readonly onClose: () => void;
} & Pick<WorkflowDetail, 'graph' | 'outline'>): ReactNode {
  const [actions, setActions] = useState<readonly TrialAction[]>([]);
  const query = useQuery({
    queryKey: ['try', start, actions],
    queryFn: ({ signal }) => callApi('POST /try', { body: { ...start, actions }, signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
  const { data: trial } = query;
  const applied = actions.slice(0, trial?.applied ?? 0);
  return (
    <>
      <ErrorNotice title={messages.failed} error={query.error} />
      {trial !== undefined && (
        <div className="two-columns">
          <div className="stack">
            <TrialCard
              // The form keeps its text after a refusal, and is cleared when the position changes.
              key={`${trial.turns.length} ${trial.answered.length} ${trial.position.status}`}
              trial={trial}
              outline={outline}
              isBusy={query.isPlaceholderData}
              onAct={(action) => setActions([...applied, action])}
            />
            <div className="row">
              <Button
                icon={CornerUpLeft}
                disabled={applied.length === 0 || query.isPlaceholderData}
                onClick={() => setActions(applied.slice(0, -1))}
              >
                {messages.back}
              </Button>
              <Button icon={RotateCcw} onClick={onClose}>
                {messages.restart}
              </Button>
            </div>
          </div>
          <div className="stack">
            <LazyGraph
              graph={graph}
              label={walkTexts.graph(outline.name)}
              highlighted={trial.position.status === 'completed' ? [] : [trial.position.node]}
            />
            <TurnList turns={trial.turns} answered={trial.answered} />
          </div>
        </div>
      )}
    </>
  );
}

interface CardProps extends Pick<WorkflowDetail, 'outline'> {
  readonly trial: Trial;
  /** Whether the server is working on the last action. */
  readonly isBusy: boolean;
  readonly onAct: (action: TrialAction) => void;
}

/** Renders what an agent, or a person at a checkpoint, gets now. */
function TrialCard(props: CardProps): ReactNode {
  const { turns, position } = props.trial;
  const title = useRef<HTMLHeadingElement>(null);
  const count = turns.length;
  useEffect(() => {
    // The card is new after each action, and the focused button is gone. Nothing takes the focus on the first page.
    if (document.activeElement === document.body) title.current?.focus();
  }, []);
  const heading = (text: string): ReactNode => (
    <h2 ref={title} tabIndex={-1}>
      {text}
    </h2>
  );
  switch (position.status) {
    case 'active':
      return (
        <WorkForm {...props} position={position}>
          {heading(walkTexts.turn(count, turns.at(-1)?.name ?? ''))}
        </WorkForm>
      );
    case 'waiting':
      return (
        <CheckpointCard {...props} position={position}>
          {heading(position.checkpoint.name)}
        </CheckpointCard>
      );
    case 'completed':
      return (
        <section className="card stack" aria-live="polite">
          {heading(messages.completed)}
          <div className="row">
            {position.outcome === undefined ? (
              messages.noOutcome
            ) : (
              <>
                {messages.outcome}
                <OutcomeTag ended={position.outcome} />
              </>
            )}
          </div>
          <ListNotice tone="waits" title={messages.warnings} lines={position.warnings} />
          {position.left.length > 0 && <ConsideredList considered={position.left} />}
        </section>
      );
  }
}

function WorkForm({
  trial: { refusal, turns },
  position: { node, text, steps },
  outline,
  isBusy,
  onAct,
  children,
}: CardProps & {
  readonly position: Extract<TrialPosition, { readonly status: 'active' }>;
  readonly children: ReactNode;
}): ReactNode {
  const [outputs, setOutputs] = useState<Readonly<Record<string, string>>>({});
  const [given, setGiven] = useState('{}');
  const variables = readObject(given);
  const required = steps.filter(({ isRequired }) => isRequired);
  const others = steps.filter(({ isRequired }) => !isRequired);
  const act = (more: { readonly isAccepted?: boolean }): void => {
    const typed = Object.entries(outputs).filter(([, output]) => output.trim() !== '');
    const plain = required
      .filter((step) => outputs[step.id] === undefined && isPlain(step))
      .map(({ id }) => [id, messages.done]);
    onAct({
      kind: 'submit',
      outputs: Object.fromEntries([...plain, ...typed]),
      ...(variables.value !== undefined && { variables: variables.value }),
      ...more,
    });
  };
  const field = (step: TrialStep): ReactNode => (
    <StepField
      key={step.id}
      step={step}
      fields={fieldsOfStep(outline, { node, step: step.id })}
      isOnly={step.name === turns.at(-1)?.name}
      output={outputs[step.id] ?? ''}
      onChange={(output) => setOutputs({ ...outputs, [step.id]: output })}
    />
  );
  return (
    <Form className="card stack trial" onSubmit={() => act({})}>
      {children}
      <ListNotice tone="waits" title={messages.warnings} lines={turns.at(-1)?.warnings} />
      {text !== undefined && <p className="said">{text}</p>}
      {required.map(field)}
      {others.length > 0 && (
        <details>
          <summary>{messages.optional(others.length)}</summary>
          <div className="stack">{others.map(field)}</div>
        </details>
      )}
      <details>
        <summary>{messages.variables}</summary>
        <JsonInput label={messages.variablesLabel} json={variables} onChange={setGiven} rows={3} />
      </details>
      <ListNotice tone="refused" title={messages.refused} lines={refusal?.reasons} />
      <div className="row">
        <Button type="submit" look="main" icon={Check} disabled={isBusy || variables.value === undefined}>
          {messages.submit}
        </Button>
        <Button
          icon={FastForward}
          disabled={isBusy || variables.value === undefined}
          onClick={() => act({ isAccepted: true })}
        >
          {messages.accept}
        </Button>
      </div>
      <p className="small muted">{messages.acceptHint}</p>
    </Form>
  );
}

/** Returns whether any output of a step is accepted. */
function isPlain({ criteria, outputSchema }: TrialStep): boolean {
  return criteria.length === 0 && outputSchema === undefined;
}

function StepField({
  step,
  fields,
  isOnly,
  output,
  onChange,
}: {
  readonly step: TrialStep;
  readonly fields: ReturnType<typeof fieldsOfStep>;
  /** Whether the heading of the card names the step already. */
  readonly isOnly: boolean;
  readonly output: string;
  readonly onChange: (output: string) => void;
}): ReactNode {
  const { name, text, criteria, outputSchema, example } = step;
  return (
    <div className="stack-tight">
      {!isOnly && <h3>{name}</h3>}
      {text !== undefined && <p className="said">{text}</p>}
      <StepRules fields={fields} criteria={criteria} step={name} />
      {outputSchema !== undefined && (
        <details>
          <summary>{messages.schema}</summary>
          <pre className="code" tabIndex={0} role="group" aria-label={messages.schema}>
            {JSON.stringify(outputSchema, null, 2)}
          </pre>
        </details>
      )}
      <TextField
        label={messages.output(step.id)}
        isMono
        rows={outputSchema === undefined ? 2 : 5}
        placeholder={isPlain(step) ? messages.done : undefined}
        value={output}
        onChange={onChange}
      />
      {example !== undefined && (
        <div>
          <Button size="small" onClick={() => onChange(completedOutput(example, output))}>
            {messages.example}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Returns an example of an output as text. It keeps the fields that somebody entered before. */
export function completedOutput(example: Json, entered: string): string {
  const { value: given } = readObject(entered);
  const { value: fields } = readObject(JSON.stringify(example));
  const isMerged = given !== undefined && fields !== undefined;
  return JSON.stringify(isMerged ? { ...fields, ...given } : example, null, 2);
}

function CheckpointCard({
  trial: { refusal },
  position: { checkpoint },
  isBusy,
  onAct,
  children,
}: CardProps & {
  readonly position: Extract<TrialPosition, { readonly status: 'waiting' }>;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className="card stack trial">
      {children}
      <div className="row">
        <Tag tone="waits">{messages.waits}</Tag>
        {checkpoint.needsPerson && (
          <span className="small muted">{workflowMessages.outline.needsPerson}</span>
        )}
      </div>
      <p className="said">{checkpoint.message}</p>
      <ul className="stack-tight" aria-label={messages.options}>
        {checkpoint.options.map(({ id, label, description }) => (
          <li key={id}>
            <Button
              className="trial-option"
              disabled={isBusy}
              onClick={() => onAct({ kind: 'answer', option: id })}
            >
              <span>{label}</span>
              {description !== undefined && <span className="small muted">{description}</span>}
            </Button>
          </li>
        ))}
      </ul>
      <ListNotice tone="refused" title={messages.refused} lines={refusal?.reasons} />
    </section>
  );
}

const verdictTones = { chosen: 'done', skipped: 'skipped', 'not-reached': 'planned' } as const;

/** Renders the turns of a session that is tried out, each with the alternatives and the reasons. */
export function TurnList({
  turns,
  answered: last = [],
  onShow,
}: {
  readonly turns: readonly DryRunStep[];
  /** Questions that were answered after the last turn. */
  readonly answered?: DryRunStep['answered'];
  /** Called with a step or an activity to highlight it in the graph, or with undefined to highlight all turns. */
  readonly onShow?: (node: string | undefined) => void;
}): ReactNode {
  return (
    <ol className="stack" aria-label={walkTexts.turns}>
      {turns.flatMap(({ at, name, node, considered, answered, sets, warnings, assumed = {} }, index) => [
        ...answeredEntries(answered, index, walkTexts.questionBetween(turns[index - 1]?.name ?? '', name)),
        <li
          key={`${index} ${at}`}
          className="card stack-tight"
          onMouseEnter={() => onShow?.(node)}
          onMouseLeave={() => onShow?.(undefined)}
        >
          <h2>
            {walkTexts.turn(index + 1, name)}
            <code className="muted">{at}</code>
          </h2>
          <WarningList warnings={warnings} />
          <ConsideredList considered={considered} />
          {Object.entries(sets).map(([variable, value]) => (
            <p key={variable} className="small muted">
              {Object.hasOwn(assumed, variable) && walkTexts.assumed}
              <code>{variable}</code> = <JsonValue value={value} />
            </p>
          ))}
        </li>,
      ])}
      {answeredEntries(last, turns.length, walkTexts.questionAtEnd(turns.at(-1)?.name ?? ''))}
    </ol>
  );
}

/** Renders the questions that were answered before the turn at this index. `where` says when they were asked. */
function answeredEntries(
  answered: DryRunStep['answered'],
  turn: number,
  where: string,
): readonly ReactNode[] {
  return answered.map(({ checkpoint, name, label }, place) => (
    <li key={`${turn} ${place} ?`} className="card stack-tight">
      <h2>
        {walkTexts.question(name)}
        <code className="muted">{checkpoint}</code>
      </h2>
      <p className="small muted">{where}</p>
      <p className="row small">
        {walkTexts.answered} <Tag tone="planned">{label}</Tag>
      </p>
    </li>
  ));
}

export function WarningList({ warnings }: { readonly warnings: readonly string[] }): ReactNode {
  return warnings.map((warning) => (
    <p key={warning} className="small warns">
      {warning}
    </p>
  ));
}

export function ConsideredList({ considered }: Pick<DryRunStep, 'considered'>): ReactNode {
  return (
    <ul className="considered stack-tight small">
      {considered.map(({ target, verdict, why, undecided }, at) => (
        <li key={`${at} ${target}`}>
          <Tag tone={verdictTones[verdict]}>{walkTexts.verdicts[verdict]}</Tag>
          <span>
            <code>{target}</code> <span className="muted">{why}</span>
            {undecided.length > 0 && <span className="muted">{walkTexts.unset(undecided.join(', '))}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
