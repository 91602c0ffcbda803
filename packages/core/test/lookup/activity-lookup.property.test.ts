import fc from 'fast-check';
import { expect, test } from 'vitest';
import { engineOf } from '../support/step-workflows.ts';
import { graphSketch } from '../support/arbitrary-workflows.ts';
import { activityWorkflow } from '../support/sessions.ts';

const context = fc.record(
  {
    a: fc.integer({ min: 0, max: 2 }),
    b: fc.integer({ min: 0, max: 2 }),
    d: fc.integer({ min: 0, max: 2 }),
    m: fc.boolean(),
    items: fc.constantFrom([], ['x'], ['x', 'y']),
  },
  { requiredKeys: [] },
);

test('An agent that completes each activity it is given always reaches the end, whatever the workflow and the context', async () => {
  await fc.assert(
    fc.asyncProperty(graphSketch, context, async ({ activities, more }, variables) => {
      const engine = engineOf(activityWorkflow(activities, more));
      const completedSteps: string[] = [];
      for (;;) {
        const reply = await engine.next({ workflowId: 'graph', completedSteps, context: variables });
        if (reply.step === null) return;
        expect(activities.map(({ id }) => id)).toContain(reply.step.id);
        completedSteps.push(reply.step.id);
        expect(completedSteps.length).toBeLessThanOrEqual(activities.length * 100);
      }
    }),
  );
});
