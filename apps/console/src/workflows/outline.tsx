import { defined } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import type { Column } from '../components/lists.tsx';
import { BulletList, DataTable } from '../components/lists.tsx';
import { Tag } from '../components/tags.tsx';
import { JsonValue } from '../components/values.tsx';
import type { WorkflowDetail } from '../contract/index.ts';
import { partOf } from '../graph/graph-targets.ts';
import { effectSentences } from '../messages/checkpoints.ts';
import { workflowMessages } from '../messages/workflows.ts';
import { AddQuestion, EditPart } from './parts.tsx';

const { outline: messages } = workflowMessages;

/** Renders one activity or one step of a workflow. Renders nothing if it has no such part. */
export function PartOutline({
  outline: { steps = [], activities = [] },
  id,
}: Pick<WorkflowDetail, 'outline'> & { readonly id: string }): ReactNode {
  const activity = activities.find((one) => one.id === id);
  if (activity !== undefined) return <ActivityOutline activity={activity} />;
  const step = findStep(steps, id);
  return step && <StepOutline steps={[step]} />;
}

function findStep(steps: Steps, id: string): Steps[number] | undefined {
  for (const step of steps) {
    if (step.id === id) return step;
    const inside = typeof step.body === 'object' ? findStep(step.body, id) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/**
 * Renders a workflow as text: its variables, then its steps or activities. It scrolls to the part `at`, which is named as
 * in `partOf`.
 */
export function WorkflowOutline({
  outline,
  at,
}: Pick<WorkflowDetail, 'outline'> & { readonly at?: string | undefined }): ReactNode {
  const { variables, steps, activities } = outline;
  return (
    <>
      {variables.length > 0 && (
        <details className="card">
          <summary>{messages.variables(variables.length)}</summary>
          <ul className="plan-list">
            {variables.map(({ name, type, description, default: value }) => (
              <li key={name}>
                <span>
                  <code>{name}</code> <span className="muted">{description}</span>
                </span>
                <span className="small muted">
                  {type}
                  {value !== undefined && (
                    <>
                      {' = '}
                      <JsonValue value={value} />
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {steps !== undefined && <StepOutline steps={steps} at={at} />}
      {activities?.map((activity) => (
        <ActivityOutline key={activity.id} activity={activity} at={at} />
      ))}
    </>
  );
}

type Steps = NonNullable<WorkflowDetail['outline']['steps']>;

/** Renders steps in order, with their conditions, loops and criteria. */
function StepOutline({ steps, at }: { readonly steps: Steps; readonly at?: string | undefined }): ReactNode {
  // Such a step runs only as part of a loop, so a step before it would not run each time.
  const repeated = new Set(steps.map(({ body }) => body));
  return (
    <ol className="outline">
      {steps.map(({ id, title, prompt, guidance, when, confirmation, criteria, fields, rounds, body }) => (
        <li key={id} {...(id === at && marked)}>
          <div className="row">
            <strong>{title}</strong> <code className="muted">{id}</code>
            {confirmation !== undefined && (
              <Tag tone="waits">
                {confirmation.approver === 'human' ? messages.confirmedByPerson : messages.confirmed}
              </Tag>
            )}
            <EditPart part={id} name={title} />
            {!repeated.has(id) && <AddQuestion part={id} name={title} where="before" />}
          </div>
          {when !== undefined && <p className="small muted">{messages.when(when)}</p>}
          {confirmation !== undefined && (
            <p className="small">{messages.confirmedBefore(confirmation.approver, confirmation.when)}</p>
          )}
          {rounds !== undefined && <p className="small muted">{messages.loop(rounds)}</p>}
          <Instructions text={prompt} guidance={guidance} isOpen={id === at} />
          <StepRules fields={fields} criteria={criteria} step={title} />
          {typeof body === 'string' && (
            <p className="small muted">
              {messages.repeats}
              <code>{body}</code>
            </p>
          )}
          {body !== undefined && typeof body !== 'string' && <StepOutline steps={body} at={at} />}
        </li>
      ))}
    </ol>
  );
}

/** Renders the instructions of a step. They are folded, so that the list of steps stays short. */
function Instructions({
  text,
  guidance = [],
  isOpen,
}: {
  readonly text: string | undefined;
  readonly guidance?: readonly string[] | undefined;
  readonly isOpen: boolean;
}): ReactNode {
  if (text === undefined) return null;
  return (
    <details open={isOpen}>
      <summary className="small">{messages.instructions}</summary>
      <p className="said">{text}</p>
      <BulletList lines={guidance} />
    </details>
  );
}

type Activity = NonNullable<WorkflowDetail['outline']['activities']>[number];

/** The attributes of the part that a link leads to. */
const marked = {
  'data-marked': true,
  tabIndex: -1,
  ref: (element: HTMLElement | null): void => element?.focus(),
} as const;

interface ActivityProps {
  readonly activity: Activity;
  readonly at?: string | undefined;
}

function ActivityOutline({ activity, at }: ActivityProps): ReactNode {
  const { id, name, isFirst, lender: source, steps, loops, checkpoints, transitions } = activity;
  return (
    <section className="card stack" {...(id === at && marked)}>
      <h2 className="row">
        {name} <code className="muted">{id}</code>
        {isFirst && <Tag tone="current">{messages.first}</Tag>}
        <EditPart part={id} name={name} />
        <AddQuestion part={id} name={name} where="after" />
      </h2>
      {source !== undefined && <p className="small muted">{messages.from(source)}</p>}
      <StepList activity={activity} steps={steps} at={at} />
      {loops.map((loop) => (
        <div key={loop.id} className="stack-tight">
          <h3>{loop.name}</h3>
          <p className="small muted">
            {messages.loop(loop.rounds)}
            {loop.activities !== undefined && messages.loopOver(loop.activities.join(', '))}
          </p>
          <StepList activity={activity} steps={loop.steps} at={at} />
        </div>
      ))}
      {checkpoints.map((checkpoint) => (
        <CheckpointOutline key={checkpoint.id} activity={activity} checkpoint={checkpoint} at={at} />
      ))}
      <ul className="small" aria-label={messages.transitions}>
        {transitions.map(({ to, when, isDefault }) => (
          <li key={`${to} ${when}`}>
            → <code>{to ?? messages.noTarget}</code>
            {when !== undefined && <span className="muted">{messages.transitionWhen(when)}</span>}
            {isDefault && <span className="muted">{messages.otherwise}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function StepList({ activity, steps, at }: ActivityProps & Pick<Activity, 'steps'>): ReactNode {
  if (steps.length === 0) return null;
  return (
    <ol className="outline">
      {steps.map(({ id, name, description, skill, when, checkpoint, isOptional, criteria, fields }) => {
        const part = partOf({ id: activity.id, step: id });
        const asked = activity.checkpoints.find((one) => one.id === checkpoint);
        return (
          <li key={id} {...(part === at && marked)}>
            <div className="row">
              <strong>{name ?? id}</strong> {name !== undefined && <code className="muted">{id}</code>}
              <EditPart part={part} name={name ?? id} />
            </div>
            <Instructions text={description} isOpen={part === at} />
            <p className="small muted">
              {[
                when === undefined ? '' : messages.stepWhen(when),
                asked === undefined ? '' : messages.stepAsks(asked.approver, asked.name),
                skill === undefined ? '' : messages.stepSkill(skill),
                isOptional ? messages.stepOptional : '',
              ]
                .filter(Boolean)
                .join(' ')}
            </p>
            <StepRules fields={fields} criteria={criteria} step={name ?? id} />
          </li>
        );
      })}
    </ol>
  );
}

/** Renders the fields that the output of a step must have, and what it must meet, in words. */
export function StepRules({
  fields = [],
  criteria = [],
  step,
}: {
  readonly fields: Fields | undefined;
  readonly criteria: readonly string[] | undefined;
  readonly step: string;
}): ReactNode {
  return (
    <>
      {fields.length > 0 && <FieldTable fields={fields} step={step} />}
      {criteria.length > 0 && (
        <div className="small">
          <strong>{messages.criteria}</strong>
          <BulletList lines={criteria} />
        </div>
      )}
    </>
  );
}

type Fields = NonNullable<Steps[number]['fields']>;

/** Returns the fields of a step, by the id under which its output is submitted. */
export function fieldsOfStep(
  { steps = [], activities = [] }: WorkflowDetail['outline'],
  { node, step }: { readonly node: string; readonly step: string },
): Fields {
  // The id of a repeated step begins with its loops.
  const id = step.split('::').at(-1) ?? step;
  const activity = activities.find((one) => one.id === node);
  const own = [...(activity?.steps ?? []), ...(activity?.loops.flatMap((loop) => loop.steps) ?? [])];
  return (own.find((one) => one.id === id) ?? findStep(steps, id))?.fields ?? [];
}

function FieldTable({ fields, step }: { readonly fields: Fields; readonly step: string }): ReactNode {
  const { columns } = messages.fields;
  const all: readonly Column<Fields[number]>[] = [
    { name: columns.field, cell: ({ id }) => <code>{id}</code> },
    {
      name: columns.takes,
      cell: ({ isRequired, takes }) => (isRequired ? takes : messages.fields.optional(takes)),
    },
    { name: columns.description, cell: ({ description }) => description },
    { name: columns.sets, cell: ({ sets }) => sets?.join(', ') },
  ];
  return (
    <DataTable
      label={messages.fields.of(step)}
      rows={fields}
      keyOf={({ id }) => id}
      // An empty column would take the room of the others on a phone.
      columns={all.filter(({ cell }) => fields.some((field) => cell(field) !== undefined))}
    />
  );
}

function CheckpointOutline({
  activity,
  checkpoint,
  at,
}: ActivityProps & { readonly checkpoint: Activity['checkpoints'][number] }): ReactNode {
  const { id: checkpointId, name, message, when, approver, options } = checkpoint;
  const part = partOf({ id: activity.id, checkpoint: checkpointId });
  return (
    <div className="stack-tight checkpoint-outline" {...(part === at && marked)}>
      <h3 className="row">
        {name}
        {approver === 'human' && <Tag tone="waits">{messages.needsPerson}</Tag>}
        <EditPart part={part} name={name} />
      </h3>
      {when !== undefined && <p className="small muted">{messages.when(when)}</p>}
      <p className="small">{whenAsked(activity, checkpoint)}</p>
      <p>{message}</p>
      <ul className="bullets small">
        {options.map(({ id, label, sets, leadsTo, skips, isIrreversible }) => (
          <li key={id}>
            {label}{' '}
            <span className="muted">
              {effectSentences(
                defined({ setVariable: sets, transitionTo: leadsTo, skipActivities: skips }),
              ).join(' ')}
            </span>{' '}
            {isIrreversible === true && <Tag tone="waits">{messages.irreversible}</Tag>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Says when an activity asks a question, and who answers. */
function whenAsked({ steps, loops }: Activity, { id, approver }: Activity['checkpoints'][number]): string {
  const { asked } = messages;
  const asksIn = (all: Activity['steps']): string | undefined => {
    const step = all.find(({ checkpoint }) => checkpoint === id);
    return step && (step.name ?? step.id);
  };
  const step = asksIn(steps);
  if (step !== undefined) return asked.atStep(approver, step);
  for (const loop of loops) {
    const repeated = asksIn(loop.steps);
    if (repeated !== undefined) return asked.inIterations(approver, repeated, loop.name);
  }
  return approver === 'human' ? asked.atEnd : asked.maybe(approver);
}
