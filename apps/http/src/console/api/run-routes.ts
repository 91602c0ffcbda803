import type { EventsPage, GateAnswered, Run, RunOutput } from '@workflowlookup/console/contract';
import type { HandedIn, Glance, Operator, Question } from '@workflowlookup/core';
import { graphOf, outlineOf, paintGraph } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import { answerError } from '../answer-error.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { readBody, readQuery } from '../read-input.ts';
import { exportStream } from './export-stream.ts';
import { runRow } from './run-row.ts';

const range = z.strictObject({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

const answer = z.strictObject({
  mode: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('option'), option: z.string().min(1).max(200) }),
    z.strictObject({ kind: z.literal('auto-advance') }),
    z.strictObject({ kind: z.literal('condition-not-met') }),
  ]),
  note: z.string().max(2_000).optional(),
  revision: z.int().min(1),
});

/** Shows one run, and answers its checkpoint. */
export function runRoutes(): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get('/:sid', async (context) => {
      const found = await find(context);
      if (found === undefined) return noRun(context);
      return context.json(await readRun(context.get('operator'), found));
    })
    .get('/:sid/events', async (context) => {
      const found = await find(context);
      if (found === undefined) return noRun(context);
      const { after, limit } = readQuery(context, range);
      const { sid, revision } = found.session;
      const events = await context.get('operator').events(sid, { after, limit });
      const last = events.at(-1)?.revision ?? revision;
      return context.json<EventsPage, 200>({ events, ...(last < revision && { next: last }) });
    })
    .get('/:sid/export', async (context) => {
      const found = await find(context);
      if (found === undefined) return noRun(context);
      const { sid } = found.session;
      const operator = context.get('operator');
      // A download that has begun can only break off, without saying why.
      const verified = await operator.verify(sid);
      const broken = verified.problems.find(({ code }) => code === 'BROKEN_CHAIN' || code === 'FORGED');
      if (broken !== undefined)
        throw new WorkflowError('STORAGE', `The session can't be exported. ${broken.message}`);
      return context.body(exportStream(operator.export(sid, verified)), 200, {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': `attachment; filename="${sid.replaceAll(/[^\w.-]/g, '_')}.jsonl"`,
      });
    })
    .post('/:sid/answer', async (context) => {
      if (!context.get('signed').scopes.has('checkpoints:respond'))
        throw new WorkflowError('FORBIDDEN', 'To answer takes the scope checkpoints:respond.');
      const found = await find(context);
      if (found === undefined) return noRun(context);
      const { note, ...given } = await readBody(context, answer);
      const answered: GateAnswered = await context
        .get('operator')
        .respond(found.session.sid, { ...given, ...(note !== undefined && note !== '' && { note }) });
      return context.json(answered);
    });
}

function find(context: Context<ConsoleEnv>): Promise<Glance | undefined> {
  return context.get('operator').glance(context.req.param('sid') ?? '');
}

/** Somebody else's is none either. */
function noRun(context: Context): Response {
  return answerError(context, { code: 'INVALID_PARAMS', message: 'There is no such run.' }, 404);
}

async function readRun(operator: Operator, glance: Glance): Promise<Run> {
  const { sid, status } = glance.session;
  const [story, { workflow, variables, outputs }] = await Promise.all([
    operator.story(sid),
    operator.contents(sid),
  ]);
  const question = status === 'blocked' ? await questionOf(operator, sid) : undefined;
  return {
    row: runRow(glance),
    story,
    outline: outlineOf(workflow),
    graph: paintGraph(graphOf(workflow), story),
    variables,
    outputs: outputs.map((output) => shorten(output, 20_000)),
    ...(question !== undefined && { question }),
  };
}

/** The checkpoint that waits; `undefined` where it was answered meanwhile. */
export async function questionOf(operator: Operator, sid: string): Promise<Question | undefined> {
  return operator.present(sid).catch((error: unknown) => {
    if (error instanceof WorkflowError && error.code === 'STATE') return undefined;
    throw error;
  });
}

/** An output of at most so many characters. */
export function shorten({ output, ...rest }: HandedIn, most: number): RunOutput {
  if (output.length <= most) return { ...rest, output };
  return { ...rest, output: output.slice(0, most), chars: output.length };
}
