/** An agent's output, which refusals must not contain. */
export const output = 'alpha: what the agent wrote itself';

const shared = { version: '1.0.0', name: 'An activity' };
const yesOrNo = [
  { id: 'yes', label: 'Yes', effect: { setVariable: { approved: true } } },
  { id: 'no', label: 'No' },
];

/** Checkpoints of `draft`. Its steps stop at `go`. Each of the others tests a different attack. */
const checkpoints = [
  {
    id: 'go',
    name: 'Go',
    message: 'Sign {note}?',
    options: yesOrNo,
    defaultOption: 'yes',
    autoAdvanceMs: 3_600_000,
  },
  {
    id: 'firm',
    name: 'Firm',
    message: 'Firm?',
    options: yesOrNo,
    blocking: true,
  },
  { id: 'held', name: 'Held', message: 'Held?', options: yesOrNo, condition: 'urgent == false' },
];

const draft = {
  ...shared,
  id: 'draft',
  steps: [
    {
      id: 'write',
      name: 'Write',
      validationCriteria: [{ type: 'contains', value: 'alpha', message: 'Say alpha' }],
    },
    { id: 'check', name: 'Check' },
    { id: 'ask', name: 'Ask', checkpoint: 'go' },
  ],
  checkpoints,
  transitions: [
    { to: 'sign', condition: 'approved == true' },
    { to: 'rework', isDefault: true },
  ],
};

const sign = {
  ...shared,
  id: 'sign',
  required: true,
  steps: [{ id: 'sign-off', name: 'Sign', checkpoint: 'signature' }],
  checkpoints: [
    {
      id: 'signature',
      name: 'Signature',
      message: 'Signed?',
      approver: 'human',
      options: yesOrNo,
      defaultOption: 'yes',
      autoAdvanceMs: 1,
      condition: 'urgent == false',
    },
  ],
  transitions: [{ to: 'ship' }],
};

/** A workflow with many rules that an agent can try to break: checks, a condition, timers and a signature. */
export const releaseFiles: Readonly<Record<string, object>> = {
  'release/workflow.json': {
    id: 'release',
    version: '1.0.0',
    title: 'Release',
    initialActivity: 'draft',
    variables: [
      { name: 'approved', type: 'boolean' },
      { name: 'urgent', type: 'boolean', defaultValue: false },
      { name: 'note', type: 'string', defaultValue: 'it' },
    ],
  },
  'release/activities/01-draft.json': draft,
  'release/activities/02-rework.json': {
    ...shared,
    id: 'rework',
    steps: [{ id: 'redo', name: 'Redo' }],
    transitions: [{ to: 'draft' }],
  },
  'release/activities/03-sign.json': sign,
  'release/activities/04-ship.json': { ...shared, id: 'ship', steps: [{ id: 'send', name: 'Send' }] },
  'errand/workflow.json': {
    id: 'errand',
    version: '1.0.0',
    title: 'Errand',
    initialActivity: 'fetch',
  },
  'errand/activities/01-fetch.json': {
    ...shared,
    id: 'fetch',
    steps: [{ id: 'bring', name: 'Bring' }],
    checkpoints: [{ id: 'go', name: 'Go', message: 'Go?', options: yesOrNo }],
  },
};

/** A complete manifest of `draft`. */
export const drafted = [
  { step_id: 'write', output },
  { step_id: 'check', output },
  { step_id: 'ask', output },
];
