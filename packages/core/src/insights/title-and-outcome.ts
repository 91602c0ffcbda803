import { evaluate, lookUp, parseCondition } from '@workflowlookup/conditions';
import type { Json, SessionOutcome, SessionTexts, Workflow } from '@workflowlookup/schema';
import type { RecordedEvent } from '../operator/operator.ts';
import type { SessionState } from '../session/session-state.ts';
import { insightTexts } from '../messages/operator.ts';

/** The longest title, in characters. A longer one is cut off. */
const maxTitleChars = 120;

/** The variables that a title is taken from, if the workflow does not say how a session is called. */
const titleVariables = ['title', 'goal', 'issue', 'target', 'branch'] as const;

const marker = /\{\{?\s*([\w.-]+)\s*\}?\}/g;

/**
 * Returns what a session is about: the title that `start_session` was given, the workflow's `session_title`, or the
 * first of the usual variables that has a value. Returns an empty text if there is none of them.
 */
export function titleOf(
  given: string | undefined,
  { session_title: template }: SessionTexts,
  variables: Readonly<Record<string, Json>>,
): string {
  if (given !== undefined && given.trim() !== '') return oneLine(given);
  const filled = template === undefined ? undefined : fill(template, variables);
  if (filled !== undefined) return filled;
  for (const name of titleVariables) {
    const value = Object.hasOwn(variables, name) ? textOf(variables[name]) : '';
    if (value !== '') return value;
  }
  return '';
}

/** Fills a template. Returns `undefined` if it names variables and none of them has a value yet. */
function fill(template: string, variables: Readonly<Record<string, Json>>): string | undefined {
  let [named, found] = [0, 0];
  const text = template.replace(marker, (_, name: string) => {
    const value = textOf(lookUp(variables, name) as Json | undefined);
    named += 1;
    if (value !== '') found += 1;
    return value;
  });
  return named > 0 && found === 0 ? undefined : oneLine(text);
}

function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return oneLine(value);
  return typeof value === 'number' ? String(value) : '';
}

function oneLine(text: string): string {
  const plain = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return plain.length > maxTitleChars ? `${plain.slice(0, maxTitleChars - 1).trimEnd()}…` : plain;
}

/** How a session ended, and whether that is a success. */
export interface Outcome {
  readonly name: string;
  /** Absent if the workflow does not say. */
  readonly result?: NonNullable<SessionOutcome['result']>;
}

/**
 * Returns how a session ended, or `undefined` if it goes on. The workflow's `session_outcomes` decide. Without them, it
 * is the activity from which the session ended, if there are several, or else the last answer to a checkpoint.
 */
export function outcomeOf(
  workflow: Workflow,
  state: SessionState,
  events: readonly RecordedEvent[],
): Outcome | undefined {
  if (state.status !== 'completed') return undefined;
  if (state.outcome === 'abandoned') return { name: insightTexts.abandoned(), result: 'stopped' };
  const declared = workflow.definition.session_outcomes ?? [];
  const found = declared.find(({ when }) => when === undefined || holds(when, state.variables));
  if (found !== undefined)
    return { name: oneLine(found.name), ...(found.result !== undefined && { result: found.result }) };
  return {
    name: oneLine(endOf(workflow, events) ?? lastAnswer(workflow, events) ?? insightTexts.completed()),
  };
}

function holds(when: NonNullable<SessionOutcome['when']>, variables: SessionState['variables']): boolean {
  const parsed = parseCondition(when);
  return parsed.ok && evaluate(parsed.condition, variables);
}

/** The activity from which the session ended, if the workflow can end from several. */
function endOf(workflow: Workflow, events: readonly RecordedEvent[]): string | undefined {
  const end = events.at(-1)?.event;
  if (workflow.kind === 'steps' || end?.type !== 'session-completed') return undefined;
  const ends = workflow.activities.filter(({ definition }) => {
    const { transitions = [], decisions = [], checkpoints = [] } = definition;
    const targets = [
      ...transitions.map(({ to }) => to),
      ...decisions.flatMap(({ branches }) => branches.map(({ transitionTo }) => transitionTo)),
      ...checkpoints.flatMap(({ options }) => options.map(({ effect }) => effect?.transitionTo)),
    ];
    const isDeadEnd = targets.every((target) => target === undefined);
    return isDeadEnd || targets.some((target) => target !== undefined && endTargets.has(target));
  });
  if (ends.length < 2) return undefined;
  const last = ends.find(({ id }) => id === end.from);
  return last && insightTexts.endedIn(last.definition.name);
}

const endTargets: ReadonlySet<string> = new Set(['end', 'end-workflow', 'complete']);

function lastAnswer(workflow: Workflow, events: readonly RecordedEvent[]): string | undefined {
  // The answers to confirmations of a step workflow only say that the step was confirmed.
  if (workflow.kind === 'steps') return undefined;
  const event = events.findLast((one) => one.event.type === 'checkpoint-answered')?.event;
  if (event?.type !== 'checkpoint-answered' || event.answer.kind === 'dismissed') return undefined;
  const { checkpoint, activity, answer } = event;
  const asked = workflow.activities.find(({ id }) => id === activity)?.definition.checkpoints;
  const option = asked?.find(({ id }) => id === checkpoint)?.options.find(({ id }) => id === answer.option);
  return option?.label ?? answer.option;
}
