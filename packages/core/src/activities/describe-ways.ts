import { variablesOf } from '@workflowlookup/conditions';
import type { Activity, ActivityVariable, ActivityWorkflow, ConditionSource } from '@workflowlookup/schema';
import { compileCondition } from '../session/compile-activity.ts';
import { rootOf } from '../root-of.ts';
import { section } from './wording.ts';

/** The variables that decide what comes after an activity, each with what the workflow says of it. */
export function describeWays({ definition }: ActivityWorkflow, activity: Activity): readonly string[] {
  const names = new Set(
    conditionsOn(activity).flatMap((source) => [...variablesOf(compileCondition(source))]),
  );
  const declared = definition.variables ?? [];
  return section(
    'What comes next depends on these; have them in the context before you go on:',
    [...names].map((name) => describeVariable(name, declared)),
  );
}

/** A variable, and what the workflow says of it. */
export function describeVariable(name: string, declared: readonly ActivityVariable[]): string {
  const root = rootOf(name);
  const variable = declared.find((candidate) => candidate.name === name || candidate.name === root);
  if (variable === undefined) return `\`${name}\``;
  const { type, description } = variable;
  return `\`${name}\` (${type})${description === undefined ? '' : `: ${description}`}`;
}

function conditionsOn({
  decisions = [],
  transitions = [],
  loops = [],
}: Activity): readonly ConditionSource[] {
  const ways = [
    ...loops.flatMap(({ activities = [], condition, breakCondition }) =>
      activities.length === 0 ? [] : [{ condition }, { condition: breakCondition }],
    ),
    ...decisions.flatMap(({ branches }) => branches),
    ...transitions,
  ];
  return ways.map(({ condition }) => condition).filter((condition) => condition !== undefined);
}
