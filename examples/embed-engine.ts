// This program uses the engine directly, without a server, files or stored state. The agent is a function that turns a
// prompt into an output. The engine returns the next step, and refuses an output that does not meet the step's criteria.
import assert from 'node:assert/strict';
import { createEngine, readDefinition } from '@workflowlookup/core';
import { createMemoryStore } from '@workflowlookup/storage/memory';

const text = `
id: triage
name: Triage
description: Decide what becomes of a bug report.
version: 1.0.0
steps:
  - id: reproduce
    title: Reproduce it
    prompt: Reproduce '{{report}}' and write down how.
    validationCriteria:
      - { type: contains, value: 'Steps:', message: 'List the steps under "Steps:"' }
  - id: find-owner
    title: Find the owner
    runCondition: severity >= 3
    prompt: Name who owns the code that fails.
`;
const { workflow, issues } = await readDefinition({ format: 'yaml', text });
assert(workflow, issues.map(({ message }) => message).join('\n'));
const engine = createEngine({ workflows: createMemoryStore([workflow]) });

/** Answers in place of a model. Its first output is too short, and it corrects it when it sees the unmet criteria. */
async function agent(prompt: string, unmet: readonly string[]): Promise<string> {
  if (prompt.includes('Name who owns')) return 'Ada owns the importer.';
  return unmet.length === 0 ? 'Seen it.' : 'Steps: import an empty file.';
}

const context = { report: 'The importer crashes', severity: 4 };
const completedSteps: string[] = [];
const refused: string[] = [];
for (;;) {
  const { step, guidance } = await engine.next({ workflowId: workflow.id, completedSteps, context });
  if (step === null) break;
  for (let unmet: readonly string[] = [], valid = false; !valid; refused.push(...unmet)) {
    const output = await agent(guidance.prompt, unmet);
    const verdict = await engine.validate({ workflowId: workflow.id, stepId: step.id, output, context });
    ({ valid, issues: unmet } = verdict);
  }
  completedSteps.push(step.id);
}
await engine.close();

assert.deepEqual(completedSteps, ['reproduce', 'find-owner']);
assert.deepEqual(refused, ['List the steps under "Steps:"']);
console.log(`${workflow.definition.name}: ${completedSteps.join(', ')}; refused once: ${refused.join()}`);
