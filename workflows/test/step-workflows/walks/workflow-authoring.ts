import type { WorkflowWalks } from './walk.ts';

const large = {
  size: 'large',
  form: 'new',
  workflowId: 'tea-time',
  file: 'workflows/tea-time.yaml',
  shared: true,
};
/** Walks of workflow-authoring. */
export const workflowAuthoring: WorkflowWalks = {
  id: 'workflow-authoring',
  walks: [
    {
      name: 'a new workflow that others get',
      steps: [
        ['study-the-work', large],
        'outline-steps',
        'write-workflow',
        'walk-paths',
        'trial-run',
        'install',
      ],
    },
    {
      name: 'a small change for one user',
      steps: [
        ['study-the-work', { ...large, size: 'small', form: 'change', shared: false }],
        'write-workflow',
        'walk-paths',
        'install',
      ],
    },
    {
      name: 'a script would do',
      steps: [['study-the-work', { ...large, form: 'none' }], 'advise-other-form'],
    },
  ],
};
