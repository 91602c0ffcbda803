import type { InsightsReply, WorkflowNames } from '@workflowlookup/console/contract';
import type { InsightsQuery } from '@workflowlookup/core/operator';
import { insightsCsv } from '@workflowlookup/core/operator';
import type { Host } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ConsoleEnv } from '../requests.ts';
import { readQuery } from '../requests.ts';
import { namesIn } from './session-routes.ts';

const time = z.iso.datetime();

const insightsQuery = z.strictObject({
  workflow: z.string().min(1).max(200).optional(),
  since: time.optional(),
  before: time.optional(),
});

/** The figures over the sessions that the user may see, as JSON and as CSV. */
export function insightsRoutes({ engine }: Pick<Host, 'engine'>): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get('/', async (context) => {
      const query = queryOf(readQuery(context, insightsQuery));
      const insights = await context.get('operator').insights(query);
      const names = await namesOf(engine, insights.workflows);
      return context.json<InsightsReply, 200>({ ...insights, names });
    })
    .get('/csv', async (context) => {
      const query = queryOf(readQuery(context, insightsQuery));
      const insights = await context.get('operator').insights(query);
      const csv = insightsCsv(insights, await namesOf(engine, insights.workflows));
      return context.body(csv, 200, {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="insights.csv"',
      });
    });
}

/** Returns the names of workflows and their parts. A workflow that is no longer served has no names. */
async function namesOf(
  engine: Host['engine'],
  counted: Pick<InsightsReply, 'workflows'>['workflows'],
): Promise<InsightsReply['names']> {
  const named = await Promise.all(
    counted.map(async ({ workflowId }): Promise<readonly (readonly [string, WorkflowNames])[]> => {
      try {
        return [[workflowId, namesIn(await engine.get(workflowId))]];
      } catch (error) {
        if (error instanceof WorkflowError) return [];
        throw error;
      }
    }),
  );
  return Object.fromEntries(named.flat());
}

function queryOf({ workflow, since, before }: z.infer<typeof insightsQuery>): InsightsQuery {
  return {
    ...(workflow !== undefined && { workflowId: workflow }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(before !== undefined && { before: new Date(before).toISOString() }),
  };
}
