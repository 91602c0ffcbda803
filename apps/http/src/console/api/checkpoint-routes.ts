import type { CheckpointsReply, WaitingCheckpoint } from '@workflowlookup/console/contract';
import type { Operator, Question } from '@workflowlookup/core/operator';
import type { Json } from '@workflowlookup/schema';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ConsoleEnv } from '../console-parts.ts';
import { readQuery } from '../requests.ts';
import { questionOf, sessionRow, shorten } from './session-routes.ts';

/** Characters of a text, and entries of a list, that a page of many questions shows of each. */
const mostChars = 2_000;
const mostEntries = 100;

/** Plain data with its long texts and lists cut off. It is the same object where nothing was. */
function shortenTexts<Data>(data: Data): Data {
  return cut(data) as Data;
}

function cut(data: unknown): unknown {
  if (typeof data === 'string') return data.length > mostChars ? `${data.slice(0, mostChars)}…` : data;
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) {
    const entries = data.slice(0, mostEntries).map(cut);
    return entries.length === data.length && entries.every((entry, at) => entry === data[at])
      ? (data as unknown)
      : entries;
  }
  const fields = Object.entries(data);
  const shortened = fields.map(([name, value]): [string, unknown] => [name, cut(value)]);
  return shortened.every(([, value], at) => value === fields[at]?.[1]) ? data : Object.fromEntries(shortened);
}

/** A value, or the beginning of its JSON where that is long. */
function shortenValue(value: Json): Json {
  const text = JSON.stringify(value);
  return text.length > mostChars ? `${text.slice(0, mostChars)}…` : value;
}

const query = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().max(300).optional(),
});

/** What there is to judge by: the last of it. */
const mostOutputs = 5;
const mostOutputChars = 2_000;
const mostVariables = 20;

export function checkpointsRoutes(): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get('/', async (context) => {
    const { limit, cursor } = readQuery(context, query);
    const operator = context.get('operator');
    const [page, { blocked: waiting }] = await Promise.all([
      operator.find({ statuses: ['blocked'] }, { limit, ...(cursor !== undefined && { cursor }) }),
      operator.counts(),
    ]);
    const gates: WaitingCheckpoint[] = [];
    // One after the other: each is read whole, and others are served in between.
    for (const { sid } of page.sessions) {
      // The list of runs reports damaged ones.
      const gate = await checkpointOf(operator, sid).catch(() => undefined);
      if (gate !== undefined) gates.push(gate);
    }
    const answer: CheckpointsReply = { gates, ...(page.next !== undefined && { next: page.next }), waiting };
    return context.json(answer);
  });
}

/** A session at its checkpoint; `undefined` where that was answered meanwhile. */
async function checkpointOf(operator: Operator, sid: string): Promise<WaitingCheckpoint | undefined> {
  const glance = await operator.summary(sid);
  const question = await questionOf(operator, sid);
  if (glance === undefined || question === undefined) return undefined;
  const [{ outputs }, { variables }] = await Promise.all([operator.contents(sid), operator.history(sid)]);
  const shown = shortenQuestion(question);
  return {
    run: sessionRow(glance),
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
