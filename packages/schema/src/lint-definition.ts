import type { VariablesOf } from './check-variables.ts';
import { describePlace } from './describe-place.ts';
import type { Finding } from './issue.ts';
import { longPromptLength } from './limits.ts';
import { lintLoopNames } from './lint-loop-names.ts';
import { lintStepDecisions } from './lint-step-decisions.ts';
import { lintStepVariables } from './lint-step-variables.ts';
import { lintTemplates } from './lint-templates.ts';
import type { StepWorkflowDefinition } from './step-workflow.ts';
import { walkSteps } from './walk-steps.ts';

/** What an author would want to know of a definition that is served all the same: warnings. */
export function lintDefinition(
  definition: StepWorkflowDefinition,
  variablesOf: VariablesOf = () => [],
): readonly Finding[] {
  return [
    ...missingVersion(definition),
    ...longPrompts(definition),
    ...lintTemplates(definition),
    ...lintStepVariables(definition),
    ...lintLoopNames(definition),
    ...lintStepDecisions(definition, variablesOf),
  ];
}

function missingVersion({ version }: StepWorkflowDefinition): readonly Finding[] {
  if (version !== undefined) return [];
  const message = "No 'version': the workflow is listed as 0.0.0";
  const suggestion = "Add a 'version' such as 1.0.0";
  const repair = { kind: 'append', behind: '/description', key: 'version', value: '1.0.0' } as const;
  return [{ severity: 'warning', code: 'missing-version', pointer: '', message, suggestion, repair }];
}

function* longPrompts(definition: StepWorkflowDefinition): Generator<Finding> {
  for (const { step, pointer } of walkSteps(definition.steps)) {
    if (step.type === 'loop' || step.prompt.length <= longPromptLength) continue;
    const length = [...step.prompt].length;
    if (length <= longPromptLength) continue;
    const place = describePlace(definition, `${pointer}/prompt`);
    const message = `${length} characters in ${place}: more than ${longPromptLength} are hard to follow`;
    const suggestion = 'Split the step, or move detail to its guidance';
    yield { severity: 'warning', code: 'long-prompt', pointer: `${pointer}/prompt`, message, suggestion };
  }
}
