import type { ActivityVariable, ActivityWorkflow } from '@workflowlookup/schema';
import { describeVariable } from './describe-ways.ts';
import { section, showNames } from './wording.ts';

/** What a workflow says ahead of its first activity. */
export function describeOpening({ definition }: ActivityWorkflow): readonly string[] {
  const { rules, variables = [], modes = [] } = definition;
  const needed = variables.filter(isNeeded);
  return [
    ...section('Throughout this workflow:', rules),
    ...section(
      'Needed in the context:',
      needed.map(({ name }) => describeVariable(name, variables)),
    ),
    ...section(
      'Manners of working, each in force while its variable is true:',
      modes.map(({ name, activationVariable, description, recognition = [] }) => {
        const said = recognition.length === 0 ? '' : ` The user may say: ${recognition.join(', ')}.`;
        return `${name}: ${showNames([activationVariable])}. ${description ?? ''}${said}`.trim();
      }),
    ),
  ];
}

function isNeeded({ required, defaultValue }: ActivityVariable): boolean {
  return required === true && defaultValue === undefined;
}
