import type { Workflow, WorkflowTest } from '@workflowlookup/schema';
import { didYouMean, walkActivitySteps, walkSteps } from '@workflowlookup/schema';

/** What a test may name, by what it is. */
interface Names {
  readonly step: ReadonlySet<string>;
  /** What is entered: a step of a step workflow, or an activity. */
  readonly place: ReadonlySet<string>;
  readonly checkpoint: ReadonlySet<string>;
}

/**
 * Names in a test that its workflow does not have, a sentence for each. Where something is expected of a name, that it is
 * misspelt shows by itself; these would count for nothing.
 */
export function strangeNames(workflow: Workflow, test: WorkflowTest): readonly string[] {
  const names = namesIn(workflow);
  const said: readonly [where: string, kind: keyof Names, ids: readonly string[]][] = [
    ['outputs', 'step', Object.keys(test.outputs ?? {})],
    ['sets', 'place', Object.keys(test.sets ?? {})],
    ['answers', 'checkpoint', Object.keys(test.answers ?? {})],
    ['notReached', 'place', test.expect?.notReached ?? []],
  ];
  return said.flatMap(([where, kind, ids]) =>
    ids.filter((id) => !names[kind].has(lastPart(id))).map((id) => sentence(id, where, [kind, names])),
  );
}

function namesIn(workflow: Workflow): Names {
  if (workflow.kind === 'steps') {
    const walked = [...walkSteps(workflow.definition.steps)].filter(({ step }) => step.type !== 'loop');
    const step = new Set(walked.map((one) => one.step.id));
    return { step, place: step, checkpoint: new Set(['confirm']) };
  }
  const activities = workflow.activities.map(({ definition }) => definition);
  return {
    step: new Set(
      activities.flatMap((activity) => [...walkActivitySteps(activity)].map(({ step }) => step.id)),
    ),
    place: new Set(activities.map(({ id }) => id)),
    checkpoint: new Set(activities.flatMap(({ checkpoints = [] }) => checkpoints.map(({ id }) => id))),
  };
}

/** What is left of `loop@1::step` and `activity::step`. */
function lastPart(id: string): string {
  return id.slice(id.lastIndexOf(':') + 1);
}

function sentence(id: string, where: string, [kind, known]: readonly [keyof Names, Names]): string {
  const meant = didYouMean(lastPart(id), [...known[kind]]);
  const hint = meant === undefined ? '' : `; '${meant}' may be meant`;
  return `The test names '${id}' under '${where}', and the workflow has no such ${nouns[kind]}${hint}.`;
}

const nouns = { step: 'step', place: 'step or activity', checkpoint: 'checkpoint' } as const;
