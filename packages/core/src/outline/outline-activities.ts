import type {
  Activity,
  ActivityLoop,
  ActivityPart,
  ActivityStep,
  ActivityWorkflow,
  Checkpoint,
  CheckpointOption,
} from '@workflowlookup/schema';
import { initialActivityOf } from '@workflowlookup/schema';
import { describeCriteria } from '@workflowlookup/validation';
import { conditionText, when } from './condition-text.ts';
import type {
  OutlinedActivity,
  OutlinedActivityLoop,
  OutlinedActivityStep,
  OutlinedCheckpoint,
  OutlinedOption,
  OutlinedWay,
} from './outline.ts';

/** The activities of a workflow in short. */
export function outlineActivities(workflow: ActivityWorkflow): readonly OutlinedActivity[] {
  const first = initialActivityOf(workflow);
  return workflow.activities.map((part) => outlineActivity(part, part.id === first));
}

function outlineActivity({ id, definition, lender }: ActivityPart, isFirst: boolean): OutlinedActivity {
  const { name, steps = [], loops = [], checkpoints = [] } = definition;
  return {
    id,
    name,
    isFirst,
    ...(lender !== undefined && { lender }),
    steps: steps.map(outlineStep),
    loops: loops.map(outlineLoop),
    checkpoints: checkpoints.map(outlineCheckpoint),
    ways: waysOf(definition),
  };
}

function outlineStep(step: ActivityStep): OutlinedActivityStep {
  const { id, name, checkpoint, required, validationCriteria, triggers } = step;
  const conditions = [step.when, step.condition].filter((source) => source !== undefined).map(conditionText);
  return {
    id,
    ...(name !== undefined && { name }),
    ...(conditions.length > 0 && { when: conditions.join(', and ') }),
    ...(checkpoint !== undefined && { checkpoint }),
    isOptional: required === false,
    ...(validationCriteria !== undefined && { criteria: describeCriteria(validationCriteria) }),
    ...(triggers !== undefined && { starts: triggers.map(({ workflow }) => workflow) }),
  };
}

function outlineLoop(loop: ActivityLoop): OutlinedActivityLoop {
  const { id, name, steps = [], activities } = loop;
  return {
    id,
    name,
    rounds: activityRounds(loop),
    steps: steps.map(outlineStep),
    ...(activities !== undefined && { activities }),
  };
}

/** How often a loop of an activity goes round. */
export function activityRounds({
  type,
  variable,
  over,
  condition,
  breakCondition,
  maxIterations = 100,
}: ActivityLoop): string {
  const kind = { forEach: `for each ${variable} of ${over}`, while: 'while', doWhile: 'once, then while' }[
    type
  ];
  const held = condition === undefined ? '' : ` ${conditionText(condition)}`;
  const until = breakCondition === undefined ? '' : `, until ${conditionText(breakCondition)}`;
  return `${kind}${type === 'forEach' ? '' : held}${until}, at most ${maxIterations} rounds`;
}

function outlineCheckpoint({
  id,
  name,
  message,
  condition,
  approver = 'any',
  options,
}: Checkpoint): OutlinedCheckpoint {
  return { id, name, message, ...when(condition), approver, options: options.map(outlineOption) };
}

function outlineOption({ id, label, effect = {} }: CheckpointOption): OutlinedOption {
  const { setVariable, transitionTo, skipActivities } = effect;
  return {
    id,
    label,
    ...(setVariable !== undefined && { sets: setVariable }),
    ...(transitionTo !== undefined && { leadsTo: transitionTo }),
    ...(skipActivities !== undefined && { skips: skipActivities }),
  };
}

function waysOf({ decisions = [], transitions = [] }: Activity): readonly OutlinedWay[] {
  const branches = decisions.flatMap((decision) =>
    decision.branches.map(({ transitionTo, condition, isDefault = false }) => ({
      ...(transitionTo !== undefined && { to: transitionTo }),
      ...when(condition),
      isDefault,
      decision: decision.id,
    })),
  );
  const others = transitions.map(({ to, condition, isDefault = false }) => ({
    to,
    ...when(condition),
    isDefault,
  }));
  return [...branches, ...others];
}
