import type { Checkpoint, CheckpointOption } from '@workflowlookup/schema';
import type { Scene } from './scene.ts';
import { standingOf } from './scene.ts';
import { indented, section, showAssignments } from './wording.ts';

/** A checkpoint that is to be asked, or may come to be. */
interface Question {
  readonly checkpoint: Checkpoint;
  readonly when: string | undefined;
}

/** The checkpoints of an activity that are asked under these variables, or may come to be in its course. */
export function questionsOf(scene: Scene): readonly Question[] {
  return (scene.activity.checkpoints ?? []).flatMap((checkpoint) => {
    const standing = standingOf([checkpoint.condition], scene);
    if (standing.kind === 'fails') return [];
    return [{ checkpoint, when: standing.kind === 'open' ? standing.when : undefined }];
  });
}

/** Questions to put to the user, with what each answer means for the context and the way on. */
export function describeQuestions(questions: readonly Question[]): readonly string[] {
  return section('Questions to put to the user; wait for the answer:', questions.map(describe));
}

function describe({ checkpoint, when }: Question): string {
  const { id, name, message, options, defaultOption, autoAdvanceMs, blocking, approver } = checkpoint;
  const condition = when === undefined ? '' : ` (only when ${when})`;
  const human = approver === 'human' ? [' Only a person may answer; you may not.'] : [];
  const isTimed = defaultOption !== undefined && autoAdvanceMs !== undefined && blocking !== true;
  const timer = isTimed ? [` Without an answer after ${autoAdvanceMs / 1000} s: ${defaultOption}.`] : [];
  return [
    `\`${id}\` ${name}${condition}: ${[message, ...human, ...timer].join('')}`,
    ...indented(options.map((option) => `- ${describeOption(option)}`)),
  ].join('\n');
}

function describeOption({ id, label, description, effect = {} }: CheckpointOption): string {
  const { setVariable = {}, transitionTo, skipActivities = [] } = effect;
  const effects = [
    ...(Object.keys(setVariable).length === 0
      ? []
      : [`put ${showAssignments(setVariable)} into the context`]),
    ...(transitionTo === undefined ? [] : [`'${transitionTo}' comes next`]),
    ...(skipActivities.length === 0 ? [] : [`do no more of: ${skipActivities.join(', ')}`]),
  ];
  const head = `${id}: ${label}${description === undefined ? '' : ` (${description})`}`;
  return effects.length === 0 ? head : `${head} → ${effects.join('; ')}`;
}
