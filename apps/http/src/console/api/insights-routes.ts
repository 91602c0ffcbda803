import type { InsightsReply } from '@workflowlookup/console/contract';
import type { InsightsQuery } from '@workflowlookup/core/operator';
import { insightsCsv } from '@workflowlookup/core/operator';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ConsoleEnv } from '../console-parts.ts';
import { readQuery } from '../requests.ts';

const time = z.iso.datetime();

const insightsQuery = z.strictObject({
  workflow: z.string().min(1).max(200).optional(),
  since: time.optional(),
  before: time.optional(),
});

/** The figures over the sessions that the user may see, as JSON and as CSV. */
export function insightsRoutes(): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get('/', async (context) => {
      const query = queryOf(readQuery(context, insightsQuery));
      const answer: InsightsReply = await context.get('operator').insights(query);
      return context.json(answer);
    })
    .get('/csv', async (context) => {
      const query = queryOf(readQuery(context, insightsQuery));
      const csv = insightsCsv(await context.get('operator').insights(query));
      return context.body(csv, 200, {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="insights.csv"',
      });
    });
}

function queryOf({ workflow, since, before }: z.infer<typeof insightsQuery>): InsightsQuery {
  return {
    ...(workflow !== undefined && { workflowId: workflow }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(before !== undefined && { before: new Date(before).toISOString() }),
  };
}
