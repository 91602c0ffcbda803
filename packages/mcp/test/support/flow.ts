import type { ActivityWorkflow, StepWorkflow, StepWorkflowDefinition } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';

/** A step workflow with a condition, criteria and a loop. */
export const reviewFlow = workflow({
  id: 'review-flow',
  name: 'Review',
  description: 'Review a change.',
  version: '1.0.0',
  category: 'testing',
  preconditions: ['The change is there'],
  variables: [
    { name: 'depth', type: 'string', description: 'How deep to look', required: true },
    { name: 'urgent', type: 'boolean' },
  ],
  steps: [
    {
      id: 'read-it',
      title: 'Read it',
      prompt: 'Read the change.',
      validationCriteria: [{ type: 'contains', value: 'alpha', message: 'Say alpha' }],
    },
    {
      id: 'dig-in',
      title: 'Dig in',
      prompt: 'Look at {{depth}} depth.',
      runCondition: { var: 'depth', equals: 'full' },
    },
    {
      id: 'each-file',
      type: 'loop',
      title: 'Each file',
      loop: { type: 'forEach', items: 'files', maxIterations: 10 },
      body: [{ id: 'look-at', title: 'Look', prompt: 'Look at {{currentItem}}.' }],
    },
  ],
});

/** Returns the workflow of a definition, with its digest. */
export function workflow(definition: StepWorkflowDefinition): StepWorkflow {
  return { kind: 'steps', id: definition.id, digest: digestOf(definition), definition };
}

/** Returns an activity workflow with one activity. */
export function activityFlow(id: string): ActivityWorkflow {
  const definition = {
    id,
    version: '1.0.0',
    title: `Title of ${id}`,
    variables: [{ name: 'goal', type: 'string' }],
  } as const;
  const activity = { id: 'start', version: '1.0.0', name: 'Start', description: 'Reach {goal}.' };
  return {
    kind: 'activities',
    id,
    digest: digestOf([definition, activity]),
    definition,
    text: '',
    format: 'yaml',
    activities: [
      {
        id: 'start',
        index: '01',
        file: 'activities/01-start.yaml',
        format: 'yaml',
        text: '',
        pointer: '',
        definition: activity,
      },
    ],
    skills: [],
    resources: [],
    problems: [],
  };
}
