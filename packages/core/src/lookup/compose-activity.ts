import type { Activity, ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';
import { walkActivitySteps } from '@workflowlookup/schema';
import { describeCriteria } from '@workflowlookup/validation';
import { artifactPaths, fillText } from '../library/fill-variables.ts';
import type { Assignment, Navigator, SessionPosition } from '../navigation/navigator.ts';
import { visitsOf } from '../session/evolve.ts';
import { assign } from '../session/variables.ts';
import type { UndecidedStep } from '../steps/next-step.ts';
import type { ActivityContext } from './describe-activity.ts';
import {
  describeActions,
  describeOpening,
  describeQuestions,
  describeTriggers,
  describeDecidingVariables,
  describeWork,
  questionsOf,
  activityContextOf,
  section,
  showAssignments,
  conditionStateOfStep,
} from './describe-activity.ts';
import type { Guidance, Instructions } from './guidance.ts';
import { judgedId } from './read-history.ts';

/** An activity that comes next. */
export interface ActivityToDo {
  readonly workflow: ActivityWorkflow;
  readonly navigator: Navigator;
  readonly part: ActivityPart;
}

/** An activity as it is given to an agent, and its steps that an unset variable kept out of it. */
export interface ActivityInstructions extends Instructions {
  readonly undecided: readonly UndecidedStep[];
}

/**
 * Composes the text of an activity: on the first call the rules of the whole workflow, then the purpose of the
 * activity, its rules, steps, questions and transitions. `sets` has the variables that the transition sets.
 *
 * @see docs/tools.md#workflow_next
 */
export function composeActivity(
  { workflow, navigator, part }: ActivityToDo,
  at: SessionPosition,
  sets: readonly Assignment[],
): ActivityInstructions {
  const { id, definition } = part;
  const given = assign([...sets, ...navigator.sets(id, 'entry')], at.variables);
  const visit = visitsOf(at.visits, id);
  const scene = activityContextOf(definition, { ...at.variables, ...given }, visit);
  const fill = (sections: readonly string[]): string => fillText(sections.join('\n\n'), scene.variables);
  const prompt = [
    ...(visit > 0
      ? ['This was done before and comes up again: once it is done, add its id to the completed ones again.']
      : []),
    fill(purposeOf(definition)),
    ...(Object.keys(given).length === 0
      ? []
      : [`Put this into the context first: ${showAssignments(given)}.`]),
    fill([
      ...describeWork(scene),
      ...describeQuestions(questionsOf(scene)),
      ...closingOf(workflow, part, scene),
    ]),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
  const isFirst = at.current === undefined;
  const opening = isFirst ? [fill(describeOpening(workflow))].filter((text) => text !== '') : [];
  return {
    step: { id, title: fill([definition.name]), prompt },
    guidance: { prompt: [...opening, prompt].join('\n\n'), ...factsOf(scene) },
    undecided: undecidedSteps(scene),
  };
}

function purposeOf({ description, problem, rules }: Activity): readonly string[] {
  return [
    ...(problem === undefined ? [] : [problem]),
    ...(description === undefined ? [] : [description]),
    ...section('Rules:', rules),
  ];
}

function closingOf(
  workflow: ActivityWorkflow,
  part: ActivityPart,
  { variables }: ActivityContext,
): readonly string[] {
  const { definition } = part;
  const { triggers, exitActions, outcome, context_to_preserve: kept, operations } = definition;
  return [
    ...(operations === undefined ? [] : [`Operations it uses: ${operations.join(', ')}.`]),
    ...section('Beside the steps:', describeTriggers(triggers)),
    ...section('It is done when:', outcome),
    ...section(
      'It leaves behind:',
      artifactPaths(workflow, part, variables).map(({ id, path }) => `${path} (${id})`),
    ),
    ...section('When it is done:', describeActions(exitActions)),
    ...section('Keep in the context:', kept),
    ...describeDecidingVariables(workflow, definition),
  ];
}

function factsOf(scene: ActivityContext): Omit<Guidance, 'prompt'> {
  const { activity, visit } = scene;
  const criteria = [...walkActivitySteps(activity)].flatMap(({ step }) => {
    if (step.validationCriteria === undefined || conditionStateOfStep(step, scene).kind === 'fails')
      return [];
    const id = judgedId(activity.id, visit, step);
    const sentences = describeCriteria(step.validationCriteria);
    return sentences.length === 0 ? [] : [`${id}: ${sentences.join(' ')}`];
  });
  return {
    ...(activity.checkpoints !== undefined && { requiresConfirmation: questionsOf(scene).length > 0 }),
    ...(criteria.length > 0 && { validationCriteria: criteria }),
  };
}

function undecidedSteps(scene: ActivityContext): readonly UndecidedStep[] {
  const { activity, visit } = scene;
  return [...walkActivitySteps(activity)].flatMap(({ step }) => {
    const standing = conditionStateOfStep(step, scene);
    return standing.kind !== 'fails' || standing.undecided.length === 0
      ? []
      : [{ stepId: judgedId(activity.id, visit, step), variables: standing.undecided }];
  });
}
