import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the id of the definition with this number. */
export function idOf(number) {
  return `bench-${String(number).padStart(5, '0')}`;
}

/** Writes `count` definitions to JSON files in a new folder. Resolves to the folder. */
export async function writeDefinitions(folder, count) {
  await mkdir(folder);
  const numbers = Array.from({ length: count }, (_, number) => number).values();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const number of numbers) await writeFile(fileOf(folder, number), textOf(number));
    }),
  );
  return folder;
}

/** Returns the file of a definition. */
export function fileOf(folder, number) {
  return join(folder, `${idOf(number)}.json`);
}

/** Returns the text of a definition: about 5 kB, with six steps that use every feature of step workflows. */
export function textOf(number, version = '1.0.0') {
  return JSON.stringify(definitionOf(number, version), null, 2);
}

/** Returns the arguments of `workflow_next` when two steps are completed and the condition of the next one skips it. */
export function midway(number) {
  return {
    workflowId: idOf(number),
    currentStep: 'plan',
    completedSteps: ['understand', 'plan'],
    context: { scope: 'small', subject: `part ${number}`, files: ['a.ts', 'b.ts'] },
  };
}

function definitionOf(number, version) {
  return {
    id: idOf(number),
    name: `Generated workflow ${number}`,
    description: `Definition number ${number}: looks at a subject, plans, makes a change and checks it.`,
    version,
    category: `kind-${number % 7}`,
    tags: ['generated', `group-${number % 13}`],
    preconditions: ['The subject is named.', 'The tests can be run.'],
    clarificationPrompts: ['How much may change?'],
    metaGuidance: ['Small steps.', 'Say what was not looked at.'],
    variables: [
      { name: 'subject', type: 'string', description: 'What is changed' },
      { name: 'scope', type: 'string', description: 'small or large' },
      { name: 'risk', type: 'number', description: 'How much may break, from 1 to 5' },
      { name: 'files', type: 'array', description: 'What was touched' },
    ],
    steps: steps(),
  };
}

function steps() {
  return [
    step('understand', 'Understand the subject', { agentRole: 'You are a careful reader of code.' }),
    step('plan', 'Plan the change', { guidance: ['One idea at a time.', 'Name what may break.'] }),
    step('review-plan', 'Have the plan reviewed', {
      runCondition: {
        or: [
          { var: 'scope', equals: 'large' },
          { var: 'risk', gte: 3 },
        ],
      },
      requireConfirmation: true,
    }),
    step('change', 'Make the change', {
      validationCriteria: { type: 'contains', value: 'changed', message: 'Say what was changed.' },
    }),
    {
      id: 'each-file',
      title: 'Look at each file',
      type: 'loop',
      loop: { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 50 },
      body: [step('look', 'Look at the file {{file}}', { runCondition: { var: 'file', exists: true } })],
    },
    step('check', 'Check the whole', {
      validationCriteria: {
        and: [
          { type: 'length', min: 20, message: 'Say more than that.' },
          { type: 'regex', pattern: '(passed|failed)', message: 'Say how the tests ended.' },
        ],
      },
    }),
  ];
}

function step(id, title, rest) {
  return { id, title, prompt: `${title}: {{subject}}.\n\n${filler}`, ...rest };
}

const filler = [
  'Read everything that has to do with it before you change a line: the callers, the tests, and the history of the',
  'place. Write down what you found as a short list, each entry with the file it is in and why it matters. Where two',
  'readings are possible, say so and choose the one that can be undone. Leave alone what is not part of the task, and',
  'name it at the end, so that somebody else can take it up.',
].join(' ');
