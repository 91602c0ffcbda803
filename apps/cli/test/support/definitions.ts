/** A step with only the required fields. */
const step = { id: 'plan', title: 'Plan', prompt: 'Plan it.' };
/** Returns a step workflow with the required fields, and more if given. */
export const flow = (id: string, more: object = {}): object => ({
  id,
  name: 'A flow',
  description: 'For tests.',
  version: '1.0.0',
  steps: [step],
  ...more,
});

/** A step workflow with a typo, a warning and an error that cannot be fixed automatically. */
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

/** An activity workflow with an invalid condition in one of its files. */
export const bakery = {
  'bakery/workflow.yaml': 'id: bakery\nversion: 1.0.0\ntitle: Bakery\ninitialActivity: knead\n',
  'bakery/activities/01-knead.yaml':
    'id: knead\nversion: 1.0.0\nname: Knead\ntransitions:\n  - to: bake\n    condition: "warm ="\n  - to: bake\n',
  'bakery/activities/02-bake.yaml':
    'id: bake\nversion: 1.0.0\nname: Bake\nsteps:\n  - id: heat\n    skill: oven\n',
};
