import type { GatesPage, WaitingGate } from '@workflowlookup/console/contract';
import type { Operator, Question } from '@workflowlookup/core';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ConsoleEnv } from '../console-env.ts';
import { readQuery } from '../read-input.ts';
import { runRow } from './run-row.ts';
import { questionOf, shorten } from './run-routes.ts';
import { shortenTexts, shortenValue } from './shorten.ts';

const query = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().max(300).optional(),
});

/** What there is to judge by: the last of it. */
const mostOutputs = 5;
const mostOutputChars = 2_000;
const mostVariables = 20;

/** Lists the checkpoints that wait. */
export function gatesRoutes(): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get('/', async (context) => {
    const { limit, cursor } = readQuery(context, query);
    const operator = context.get('operator');
    const [page, { blocked: waiting }] = await Promise.all([
      operator.find({ statuses: ['blocked'] }, { limit, ...(cursor !== undefined && { cursor }) }),
      operator.counts(),
    ]);
    const gates: WaitingGate[] = [];
    // One after the other: each is read whole, and others are served in between.
    for (const { sid } of page.sessions) {
      // The list of runs reports damaged ones.
      const gate = await gateOf(operator, sid).catch(() => undefined);
      if (gate !== undefined) gates.push(gate);
    }
    const answer: GatesPage = { gates, ...(page.next !== undefined && { next: page.next }), waiting };
    return context.json(answer);
  });
}

/** A session at its checkpoint; `undefined` where that was answered meanwhile. */
async function gateOf(operator: Operator, sid: string): Promise<WaitingGate | undefined> {
  const glance = await operator.glance(sid);
  const question = await questionOf(operator, sid);
  if (glance === undefined || question === undefined) return undefined;
  const [{ outputs }, { variables }] = await Promise.all([operator.contents(sid), operator.story(sid)]);
  const shown = shortenQuestion(question);
  return {
    run: runRow(glance),
    question: shown,
    ...(shown !== question && { isShortened: true }),
    evidence: {
      outputs: outputs
        .slice(-mostOutputs)
        .toReversed()
        .map((one) => shorten(one, mostOutputChars)),
      variables: variables
        .slice(-mostVariables)
        .toReversed()
        .map(({ from, to, ...change }) => ({
          ...change,
          ...(from !== undefined && { from: shortenValue(from) }),
          to: shortenValue(to),
        })),
    },
  };
}

/** A question as a list shows it; the same one where nothing of it is long. */
export function shortenQuestion(question: Question): Question {
  const values = question.values.map((one) => {
    const value = shortenValue(one.value);
    return value === one.value ? one : { ...one, value };
  });
  const isSame = values.every((one, at) => one === question.values[at]);
  return shortenTexts(isSame ? question : { ...question, values });
}
