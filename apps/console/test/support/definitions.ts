/** A text that would run a script if a page rendered it as HTML. */
export const hostile = '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>{{7*7}}';

/** The workflows for tests, by path. */
export const definitions: Readonly<Record<string, unknown>> = {
  'shop/workflow.json': {
    id: 'shop',
    version: '2.1.0',
    title: 'Ship a change',
    description: 'From a plan that a person approved to a release.',
    tags: ['release'],
    enforcement: 'strict',
    variables: [
      { name: 'risk', type: 'string', defaultValue: 'low' },
      { name: 'approved', type: 'boolean' },
    ],
  },
  'shop/activities/01-plan.json': {
    id: 'plan',
    version: '1.0.0',
    name: 'Plan the change',
    steps: [
      {
        id: 'write-plan',
        name: 'Write the plan',
        description: 'Say what you change, and why.',
        validationCriteria: [
          {
            type: 'length',
            min: 10,
            // The text has a part that is too long for a line and has no spaces.
            message: `Say more than a word. Example: {"plan":[${'"first_of_all",'.repeat(6)}]}`,
          },
        ],
      },
      { id: 'ask', name: 'Ask', checkpoint: 'approve' },
    ],
    checkpoints: [
      {
        id: 'approve',
        name: 'Approve the plan',
        message: 'The plan is written, its risk is {risk}. Shall the agent go on?',
        options: [
          {
            id: 'go',
            label: 'Go on',
            description: 'The change is made.',
            effect: { setVariable: { approved: true } },
          },
          {
            id: 'stop',
            label: 'Stop here',
            description: 'Nothing is changed.',
            effect: { setVariable: { approved: false } },
          },
        ],
      },
    ],
    transitions: [
      { to: 'change', condition: 'approved == true' },
      { to: 'report', isDefault: true },
    ],
  },
  'shop/activities/02-change.json': {
    id: 'change',
    version: '1.0.0',
    name: 'Make the change',
    steps: [{ id: 'edit', name: 'Edit' }],
    transitions: [{ to: 'report', isDefault: true }],
  },
  'shop/activities/03-report.json': {
    id: 'report',
    version: '1.0.0',
    name: 'Report',
    steps: [{ id: 'tell', name: 'Tell what was done' }],
  },
  'careful/workflow.json': {
    id: 'careful',
    version: '1.0.0',
    title: 'Publish with care',
    description: 'Its options need a note or a confirmation.',
  },
  'careful/activities/01-publish.json': {
    id: 'publish',
    version: '1.0.0',
    name: 'Publish',
    steps: [{ id: 'ask', name: 'Ask', checkpoint: 'publish' }],
    checkpoints: [
      {
        id: 'publish',
        name: 'Publish it?',
        message: 'Shall it be published?',
        options: [
          { id: 'publish', label: 'Publish', irreversible: true },
          { id: 'change', label: 'Change it', note: 'required' },
          { id: 'again', label: 'Do it again', effect: { transitionTo: 'publish' } },
        ],
      },
    ],
  },
  'review.yaml': `id: review
name: Review a change
description: Read a change and report on it.
version: 1.0.0
tags: [review]
variables:
  - name: depth
    type: string
    description: How closely it is read.
steps:
  - id: read-it
    title: Read it
    prompt: Read the change.
  - id: look-closer
    title: Look closer
    prompt: Look at every line.
    runCondition:
      var: depth
      equals: full
  - id: report
    title: Report
    prompt: Report on it.
    requireConfirmation: true
`,
  'hostile/workflow.json': {
    id: 'hostile',
    version: '1.0.0',
    title: hostile,
    description: hostile,
    tags: ['hostile'],
    variables: [{ name: 'said', type: 'string', description: hostile, defaultValue: hostile }],
  },
  'hostile/activities/01-first.json': {
    id: 'first',
    version: '1.0.0',
    name: hostile,
    steps: [
      { id: 'say', name: hostile },
      { id: 'ask', name: 'Ask', checkpoint: 'checkpoint' },
    ],
    checkpoints: [
      {
        id: 'checkpoint',
        name: hostile,
        message: `${hostile} {said}`,
        options: [
          { id: 'yes', label: hostile, description: hostile, effect: { setVariable: { said: hostile } } },
        ],
      },
    ],
  },
  'broken.json': '{ "id": "broken", "name": "Broken", "description": "It has no steps." }',
  'long.json': longWorkflow(200),
};

/** Returns a step workflow with the given number of steps. */
function longWorkflow(count: number): object {
  const steps = Array.from({ length: count }, (_, at) => ({
    id: `step-${at + 1}`,
    title: `Step ${at + 1} of a long way`,
    prompt: 'Do it.',
    ...(at % 10 === 9 && { runCondition: { var: 'thorough', equals: true } }),
  }));
  return { id: 'long', name: 'A long way', description: `${count} steps.`, version: '1.0.0', steps };
}
