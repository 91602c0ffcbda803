import type { RunsPage } from '@workflowlookup/console/contract';
import type { SessionQuery } from '@workflowlookup/core';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ConsoleEnv } from '../console-env.ts';
import { readQuery } from '../read-input.ts';
import { runRows } from './run-row.ts';

const status = z.enum(['active', 'blocked', 'completed']);
const text = z.string().min(1).max(200);
const time = z.iso.datetime();

const query = z.strictObject({
  status: z
    .string()
    .transform((words) => words.split(','))
    .pipe(z.array(status))
    .optional(),
  workflow: text.optional(),
  agent: text.optional(),
  text: text.optional(),
  parent: text.optional(),
  since: time.optional(),
  before: time.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(300).optional(),
});

/** Lists runs. */
export function runsRoutes(): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get('/', async (context) => {
    const { limit, cursor, ...asked } = readQuery(context, query);
    const operator = context.get('operator');
    const [page, counts] = await Promise.all([
      operator.find(queryOf(asked), { limit, ...(cursor !== undefined && { cursor }) }),
      operator.counts(),
    ]);
    const runs = await runRows(operator, page.sessions);
    const answer: RunsPage = { runs, ...(page.next !== undefined && { next: page.next }), counts };
    return context.json(answer);
  });
}

function queryOf({
  status: statuses,
  workflow: workflowId,
  agent,
  text: part,
  parent: parentSid,
  since,
  before,
}: Omit<z.infer<typeof query>, 'limit' | 'cursor'>): SessionQuery {
  return {
    ...(statuses !== undefined && { statuses }),
    ...(workflowId !== undefined && { workflowId }),
    ...(agent !== undefined && { agent }),
    ...(part !== undefined && { text: part }),
    ...(parentSid !== undefined && { parentSid }),
    ...(since !== undefined && { updatedSince: new Date(since).toISOString() }),
    ...(before !== undefined && { updatedBefore: new Date(before).toISOString() }),
  };
}
