import type { Judged, Walk } from '@workflowlookup/console/contract';
import type { Host } from '@workflowlookup/host';
import type { Json } from '@workflowlookup/schema';
import { maxDefinitionBytes } from '@workflowlookup/schema';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ConsoleEnv } from '../console-env.ts';
import { readBody } from '../read-input.ts';

// Read from JSON, so their values are JSON.
const variables = z
  .record(z.string().max(200), z.unknown())
  .transform((given) => given as Record<string, Json>);

const walk = z.strictObject({
  workflowId: z.string().min(1).max(200),
  context: variables.optional(),
  answers: z.record(z.string().max(400), z.string().max(200)).optional(),
  text: z.string().max(maxDefinitionBytes).optional(),
});

const judged = z.strictObject({
  output: z.string(),
  // Read from JSON, so it is JSON: looking through it once more would take longer than reading it.
  criteria: z.unknown(),
  context: variables.optional(),
});

/** Tries workflows and criteria; nothing is kept of it. */
export function playgroundRoutes(host: Pick<Host, 'engine' | 'jobs'>): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .post('/walk', async (context) => {
      const { workflowId, text, context: given, answers } = await readBody(context, walk);
      const { principal } = context.get('signed');
      const ask = {
        workflow: text ?? (await host.engine.get(workflowId)),
        ...(given !== undefined && { context: given }),
        ...(answers !== undefined && { answers }),
      };
      const walked: Walk = await host.jobs.run('walk', ask, { principal });
      return context.json(walked);
    })
    .post('/judge', async (context) => {
      const { context: given = {}, ...asked } = await readBody(context, judged);
      const { principal } = context.get('signed');
      const answer: Judged = await host.jobs.run('try-criteria', { ...asked, context: given }, { principal });
      return context.json(answer);
    });
}
