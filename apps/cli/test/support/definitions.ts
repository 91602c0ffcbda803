/** A step with what it needs. */
const step = { id: 'plan', title: 'Plan', prompt: 'Plan it.' };
/** A step workflow with what it needs, and more. */
export const flow = (id: string, more: object = {}): object => ({
  id,
  name: 'A flow',
  description: 'For tests.',
  version: '1.0.0',
  steps: [step],
  ...more,
});

/** A step workflow with a slip, a warning and what can't be put right. */
export const slips = `# Comments stay.
id: brew
name: Brew  # as they are
description: Brew tea.
steps:
  - id: boil
    titel: Boil
    prompt: Boil the water.
  - id: pour
    title: Pour
    prompt: Pour it.
    runCondition: hot === true
    agentRole: Chef
`;

/** An activity workflow with a broken condition in a file of its own. */
export const bakery = {
  'bakery/workflow.yaml': 'id: bakery\nversion: 1.0.0\ntitle: Bakery\ninitialActivity: knead\n',
  'bakery/activities/01-knead.yaml':
    'id: knead\nversion: 1.0.0\nname: Knead\ntransitions:\n  - to: bake\n    condition: "warm ="\n  - to: bake\n',
  'bakery/activities/02-bake.yaml':
    'id: bake\nversion: 1.0.0\nname: Bake\nsteps:\n  - id: heat\n    skill: oven\n',
};
