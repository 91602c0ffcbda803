import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const count = 20;
const numbers = Array.from({ length: count }, (_, at) => at + 1);

/** The ids of the workflows that {@link writeTwenty} writes. */
export const twenty = { activities: 'twenty-activities', steps: 'twenty-steps' };

/**
 * Writes two workflows of twenty steps to a new folder of definitions and returns the folder. One is a step workflow.
 * In the other, each step has its own activity, which is the case in which a session adds the most to a step.
 */
export async function writeTwenty(folder) {
  await mkdir(join(folder, twenty.activities), { recursive: true });
  await writeFile(join(folder, twenty.activities, 'workflow.json'), JSON.stringify(activityWorkflow));
  await writeFile(join(folder, `${twenty.steps}.json`), JSON.stringify(stepWorkflow));
  return folder;
}

/** Returns a walk through one of these workflows, for `walkSession`. */
export function twentyWalk(id) {
  const visits = numbers.map(() => ({}));
  return { id, name: 'all of it', visits, outputOf: (step) => `${step}: done, and 12 of 12 tests passed.` };
}

/** Returns the same walk of an agent that submits no outputs. */
export function walkWithoutOutputs(id) {
  return { ...twentyWalk(id), outputOf: undefined };
}

/** Returns the definitions, by id. */
export const twentyDefinitions = () => ({
  [twenty.activities]: activityWorkflow,
  [twenty.steps]: stepWorkflow,
});

const said = (number) =>
  `Look at part ${number} of the subject with care: read all that has to do with it, and say what you found there.`;

const activityWorkflow = {
  id: twenty.activities,
  version: '1.0.0',
  title: 'Twenty activities of one step',
  description: 'Goes through the parts of a subject.',
  initialActivity: 'part-1',
  activities: numbers.map((number) => ({
    id: `part-${number}`,
    version: '1.0.0',
    name: `The part with number ${number}`,
    steps: [{ id: `look-${number}`, name: `Look at the part number ${number}`, description: said(number) }],
    transitions: [{ to: number === count ? 'end' : `part-${number + 1}`, isDefault: true }],
  })),
};

const stepWorkflow = {
  id: twenty.steps,
  name: 'Twenty steps to be done',
  description: 'Goes through the parts of a subject.',
  version: '1.0.0',
  steps: numbers.map((number) => ({
    id: `look-${number}`,
    title: `Look at the part number ${number}`,
    prompt: said(number),
    guidance: ['Name the file and the line.', 'Say what was not looked at.'],
  })),
};
