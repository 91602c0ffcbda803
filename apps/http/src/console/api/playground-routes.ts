import type { Judged, Walk } from '@workflowlookup/console/contract';
import { judgeOutput, readDefinition, walkThrough } from '@workflowlookup/core';
import type { Host } from '@workflowlookup/host';
import type { Workflow } from '@workflowlookup/schema';
import { maxDefinitionBytes, WorkflowError } from '@workflowlookup/schema';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ConsoleEnv } from '../console-env.ts';
import { readBody } from '../read-input.ts';

const variables = z.record(z.string().max(200), z.json());

const walk = z.strictObject({
  workflowId: z.string().min(1).max(200),
  context: variables.optional(),
  answers: z.record(z.string().max(400), z.string().max(200)).optional(),
  text: z.string().max(maxDefinitionBytes).optional(),
});

/** How long a walk may keep everybody else waiting. */
const walkMs = 500;

const judged = z.strictObject({
  output: z.string(),
  criteria: z.json(),
  context: variables.optional(),
});

/** Tries workflows and criteria; nothing is kept of it. */
export function playgroundRoutes(host: Pick<Host, 'engine'>): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .post('/walk', async (context) => {
      const { workflowId, text, context: given, answers } = await readBody(context, walk);
      const workflow = text === undefined ? await host.engine.get(workflowId) : await draftOf(text);
      const endMs = performance.now() + walkMs;
      const walked: Walk = walkThrough(workflow, {
        mayGoOn: () => performance.now() < endMs,
        ...(given !== undefined && { context: given }),
        ...(answers !== undefined && { answers }),
      });
      return context.json(walked);
    })
    .post('/judge', async (context) => {
      const { context: given = {}, ...asked } = await readBody(context, judged);
      const answer: Judged = await judgeOutput({ ...asked, context: given });
      return context.json(answer);
    });
}

/** A step workflow that was not saved. @throws WorkflowError INVALID_WORKFLOW */
async function draftOf(text: string): Promise<Workflow> {
  const format = text.trimStart().startsWith('{') ? 'json' : 'yaml';
  const { workflow, issues: problems } = await readDefinition({ text, format });
  if (workflow !== undefined) return workflow;
  throw new WorkflowError('INVALID_WORKFLOW', 'The text is no workflow that can be walked.', {
    data: { problems },
  });
}
