import type { Workflow, WorkflowTest } from '@workflowlookup/schema';
import type { Coverage } from '../exploration/exploration.ts';
import { coverageOf } from '../exploration/coverage.ts';
import { createRecord } from '../exploration/record.ts';
import { terrainOf } from '../exploration/terrain-of.ts';
import { runnableOf } from '../session-engine/runnable.ts';
import { compareRehearsal } from './compare-rehearsal.ts';
import type { TestResult } from './rehearsal.ts';
import { strangeNames } from './strange-names.ts';
import { walkScript } from './walk-script.ts';

/** Runs the tests of one workflow, each as a session of its own that is kept nowhere. */
export interface Rehearsals {
  run(test: WorkflowTest): Promise<TestResult>;
  /** What the tests that were run have gone through together. */
  coverage(): Coverage;
}

/**
 * Makes the tests of a workflow ready to run. What a session would refuse ends a test, and what an advisory session would
 * only warn of does too: sessions of tests are strict.
 *
 * @throws WorkflowError INVALID_WORKFLOW for what the checks of reading would have refused
 * @see docs/authoring.md#testing-a-workflow
 */
export function createRehearsals(workflow: Workflow): Rehearsals {
  const terrain = terrainOf(workflow);
  const record = createRecord(terrain);
  return {
    async run(test) {
      const rehearsal = await walkScript(runnableOf(workflow), test, (passage) => record.add(passage));
      const failures = [...strangeNames(workflow, test), ...compareRehearsal(test, rehearsal)];
      return { name: test.name, ...rehearsal, failures };
    },
    coverage: () => coverageOf(terrain, record),
  };
}
