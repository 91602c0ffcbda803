import type { Evidence, Run } from '../contract.ts';

const mostOutputs = 5;
const mostVariables = 20;

/** What there is to judge a run by, as the inbox has it, but with as much of each output as the run has. */
export function evidenceOf({ outputs, story: { variables } }: Pick<Run, 'outputs' | 'story'>): Evidence {
  return {
    outputs: outputs.slice(-mostOutputs).toReversed(),
    variables: variables.slice(-mostVariables).toReversed(),
  };
}
