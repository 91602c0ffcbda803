// An engine inside your own program: no server, no files, no state. Your agent is any function that turns a prompt
// into an output; the engine says what comes next, and refuses an output that does not meet the step's criteria.
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

/** Stands in for a model: it is lazy until it is told what is missing. */
async function agent(prompt: string, complaints: readonly string[]): Promise<string> {
  if (prompt.includes('Name who owns')) return 'Ada owns the importer.';
  return complaints.length === 0 ? 'Seen it.' : 'Steps: import an empty file.';
}

const context = { report: 'The importer crashes', severity: 4 };
const completedSteps: string[] = [];
const refused: string[] = [];
for (;;) {
  const { step, guidance } = await engine.next({ workflowId: workflow.id, completedSteps, context });
  if (step === null) break;
  for (let complaints: readonly string[] = [], valid = false; !valid; refused.push(...complaints)) {
    const output = await agent(guidance.prompt, complaints);
    const verdict = await engine.validate({ workflowId: workflow.id, stepId: step.id, output, context });
    ({ valid, issues: complaints } = verdict);
  }
  completedSteps.push(step.id);
}
await engine.close();

assert.deepEqual(completedSteps, ['reproduce', 'find-owner']);
assert.deepEqual(refused, ['List the steps under "Steps:"']);
console.log(`${workflow.definition.name}: ${completedSteps.join(', ')}; refused once: ${refused.join()}`);
