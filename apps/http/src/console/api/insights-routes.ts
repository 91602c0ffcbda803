import type { InsightsReply, WorkflowNames } from '@workflowlookup/console/contract';
import { insightsCsv } from '@workflowlookup/core/operator';
import type { Host } from '@workflowlookup/host';
import { defined, WorkflowError } from '@workflowlookup/schema';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { ConsoleEnv, UserRequest } from '../requests.ts';
import { readQuery, routes } from '../requests.ts';
import { namesIn, time } from './session-routes.ts';

const insightsQuery = z
  .strictObject({
    workflow: z.string().min(1).max(200).exactOptional(),
    since: time.exactOptional(),
    before: time.exactOptional(),
  })
  .transform(({ workflow: workflowId, ...times }) => ({ ...times, ...defined({ workflowId }) }));

/** The figures over the sessions that the user may see, as JSON and as CSV. */
export function insightsRoutes({ engine }: Pick<Host, 'engine'>): Hono<ConsoleEnv> {
  async function read({ context, operator }: UserRequest): Promise<InsightsReply> {
    const insights = await operator.insights(readQuery(context, insightsQuery));
    return { ...insights, names: await namesOf(engine, insights.workflows) };
  }
  return routes({
    'GET /': read,
    async 'GET /csv'(request) {
      const { names, ...insights } = await read(request);
      return request.context.body(insightsCsv(insights, names), 200, {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="insights.csv"',
      });
    },
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
