import type {
  AnsweredReply,
  AnsweredRow,
  CheckpointListRow,
  CheckpointsReply,
  RefusedCalls,
  WaitingCheckpoint,
} from '@workflowlookup/console/contract';
import type { Operator, SessionHistory, SessionRow, SubmittedOutput } from '@workflowlookup/core/operator';
import { timerEndOf } from '@workflowlookup/core/operator';
import { outlineOf } from '@workflowlookup/diagrams';
import type { Json } from '@workflowlookup/schema';
import { defined, WorkflowError } from '@workflowlookup/schema';
import type { Hono } from 'hono';
import { z } from 'zod';
import { findMany } from '../../change-feed.ts';
import { consoleMessages } from '../../messages.ts';
import type { ConsoleEnv } from '../requests.ts';
import { readQuery, routes } from '../requests.ts';
import { namesIn, sessionRow, shorten } from './session-routes.ts';

/** The maximum number of checkpoints in the list. The count next to it covers all of them. */
const mostListed = 2_000;

/** Cached data of sessions, by id and revision. A session that changes gets another revision. */
export type KnownCheckpoints = Map<string, Promise<CheckpointListRow | undefined>>;

export function checkpointRoutes(known: KnownCheckpoints): Hono<ConsoleEnv> {
  return routes({
    async 'GET /'({ operator }): Promise<CheckpointsReply> {
      const [checkpoints, { blocked: waiting }] = await Promise.all([
        listCheckpoints(operator, known),
        operator.counts(),
      ]);
      return { checkpoints, waiting };
    },
    'GET /answered'({ context, operator, signed: { person } }): Promise<AnsweredReply> {
      const { search, by } = readQuery(context, answeredQuery);
      return answersOf(operator, { search, ...(by === 'me' && { person }) });
    },
    async 'GET /:sid'({ context, operator }): Promise<WaitingCheckpoint> {
      const found = await checkpointOf(operator, context.req.param('sid') ?? '');
      if (found !== undefined) return found;
      throw new WorkflowError('NOT_FOUND', consoleMessages.noCheckpoint());
    },
  });
}

/** Returns the checkpoints that need an answer, those that have waited longest first. */
export async function listCheckpoints(
  operator: Operator,
  known: KnownCheckpoints,
): Promise<readonly CheckpointListRow[]> {
  const { sessions } = await findMany(operator, { statuses: ['blocked'] });
  const waiting = sessions.toReversed().slice(0, mostListed);
  const listed = await inParts(waiting, ({ sid, revision, unauthentic }) => {
    const key = `${sid} ${revision} ${unauthentic}`;
    const begun = known.get(key) ?? summarize(operator, sid);
    known.set(key, begun);
    // The list of sessions reports damaged ones.
    return begun.catch(() => void known.delete(key));
  });
  if (known.size > 2 * mostListed) known.clear();
  return listed.filter((one) => one !== undefined);
}

/** How many sessions are read at the same time. */
const atOnce = 16;

/** Reads sessions part by part, so that other requests are served in between. */
async function inParts<T>(
  sessions: readonly SessionRow[],
  read: (session: SessionRow) => Promise<T>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let at = 0; at < sessions.length; at += atOnce) {
    all.push(...(await Promise.all(sessions.slice(at, at + atOnce).map(read))));
    await new Promise(setImmediate);
  }
  return all;
}

async function summarize(operator: Operator, sid: string): Promise<CheckpointListRow | undefined> {
  const found = await operator.checkpoint(sid);
  if (found === undefined) return undefined;
  const { title, subject, workflowId, agent, project, ...checkpoint } = found;
  const session = { title, workflowId, agent, ...defined({ subject, project }) };
  return { ...checkpoint, name: truncate(checkpoint.name), session };
}

const mostNameChars = 200;

function truncate(name: string): string {
  return name.length <= mostNameChars ? name : `${name.slice(0, mostNameChars)}…`;
}

const answeredQuery = z.strictObject({
  search: z.string().max(200).default(''),
  /** `me`: only the answers of the user who is signed in. */
  by: z.literal('me').optional(),
});

/** The list has the answers of this many sessions, those that changed last. */
const mostAnswered = 100;

interface AnswerFilter {
  /** Words that the answer must contain. */
  readonly search: string;
  readonly person?: string;
}

async function answersOf(operator: Operator, filter: AnswerFilter): Promise<AnsweredReply> {
  // The text of a session contains that of its answers and the people who gave them.
  const search = [filter.search, filter.person].filter(Boolean).join(' ');
  const { sessions, next } = await operator.find(search === '' ? {} : { search }, { limit: mostAnswered });
  // The list of sessions reports damaged ones.
  const found = await inParts(sessions, ({ sid }) => answersIn(operator, sid).catch(() => []));
  const newestFirst = found
    .flat()
    .filter((answer) => matches(answer, filter))
    .toSorted((a, b) => b.at.localeCompare(a.at) || b.revision - a.revision);
  return { answers: newestFirst, hasMore: next !== undefined };
}

function matches(answer: AnsweredRow, { search, person }: AnswerFilter): boolean {
  if (person !== undefined && answer.person !== person) return false;
  const { sid, checkpoint, option, note, session } = answer;
  const { title, subject, workflowId, agent, project } = session;
  const texts = [sid, checkpoint, option, note, answer.person, title, subject, workflowId, agent, project];
  const all = texts.join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** The answers that people gave to the checkpoints of a session. */
async function answersIn(operator: Operator, sid: string): Promise<readonly AnsweredRow[]> {
  const events = await operator.events(sid);
  const given = events.flatMap(({ revision, at, event }) =>
    event.type === 'checkpoint-answered' && event.by === 'human' && event.answer.kind !== 'dismissed'
      ? [{ revision, at, event, option: event.answer.option }]
      : [],
  );
  if (given.length === 0) return [];
  const [summary, { workflow }, receipts] = await Promise.all([
    operator.summary(sid),
    operator.contents(sid),
    operator.receipts(sid, events),
  ]);
  if (summary === undefined) return [];
  const checkpoints = (outlineOf(workflow).activities ?? []).flatMap((one) => one.checkpoints);
  return given.map(({ revision, at, event: { checkpoint: id, note, person, origin }, option }) => {
    const checkpoint = checkpoints.find((one) => one.id === id);
    return {
      sid,
      revision,
      at,
      checkpoint: truncate(checkpoint?.name ?? id),
      option: checkpoint?.options.find((one) => one.id === option)?.label ?? option,
      ...defined({ note, person, origin, receivedAt: receipts.get(at) }),
      session: sessionRow(summary),
    };
  });
}

/** Limits of the outputs and variables that are shown with a question. The newest ones are shown. */
const mostOutputs = 20;
const mostOutputChars = 20_000;
const mostVariables = 50;
const mostValueChars = 20_000;

/** Returns the open checkpoint of a session; `undefined` if it was answered in the meantime. */
async function checkpointOf(operator: Operator, sid: string): Promise<WaitingCheckpoint | undefined> {
  const summary = await operator.summary(sid);
  const question = summary && (await operator.present(sid).catch(answeredMeanwhile));
  if (summary === undefined || question === undefined) return undefined;
  const [{ workflow, outputs }, history] = await Promise.all([operator.contents(sid), operator.history(sid)]);
  const { variables, checkpoints, plan, refusals, evidence = [], lastCallAt } = history;
  const refused = refusedHere(history, question.checkpoint.id);
  const timerEndsAt =
    question.answeredBy === 'person' ? undefined : timerEndOf(question.checkpoint, question.yieldedAt);
  return {
    session: sessionRow(summary),
    question,
    ...defined({ lastCallAt, timerEndsAt }),
    ...(refused.count > 0 && { refused }),
    names: {
      ...namesIn(workflow).steps,
      ...Object.fromEntries(plan.map(({ id, name }) => [id, name])),
    },
    earlier: checkpoints.filter(
      ({ checkpoint, activity, answered }) =>
        answered !== undefined && checkpoint === question.checkpoint.id && activity === question.activity,
    ),
    evidence: {
      collected: evidence,
      outputs: outputs
        .slice(-mostOutputs)
        .toReversed()
        .map((one) => {
          const count = refusedBefore(one, outputs, refusals);
          return { ...shorten(one, mostOutputChars), ...(count > 0 && { refusedBefore: count }) };
        }),
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

function answeredMeanwhile(error: unknown): undefined {
  if (!(error instanceof WorkflowError && error.code === 'INVALID_STATE')) throw error;
}

const mostRefused = 3;

/** Returns the calls of agents that were refused since the current activity was entered, and picks those to show. */
function refusedHere(
  { refusals, moves, participants }: Pick<SessionHistory, 'refusals' | 'moves' | 'participants'>,
  checkpoint: string,
): RefusedCalls {
  const entered = moves.at(-1)?.revision ?? 0;
  const people = new Set(participants.filter(({ kind }) => kind === 'human').map(({ id }) => id));
  const refused = refusals.filter(({ aid, rev }) => rev >= entered && !people.has(aid)).toReversed();
  const bypasses = refused.filter((call) => isBypass(call, checkpoint));
  const picked = new Set([...new Set([...bypasses, ...refused])].slice(0, mostRefused));
  return { count: refused.length, calls: refused.filter((call) => picked.has(call)) };
}

/** Returns whether an agent tried to answer the open checkpoint itself, or to continue without an answer. */
function isBypass({ name, err = '' }: SessionHistory['refusals'][number], checkpoint: string): boolean {
  if (name === 'answer' || /^(CHECKPOINT_OPEN|HUMAN_REQUIRED):/.test(err)) return true;
  // A call that breaks several rules has the code of another one, but its message names the checkpoint.
  return name === 'move' && err.includes(`'${checkpoint}'`);
}

/** Returns how often outputs of a step were refused between its previous accepted output and this one. */
function refusedBefore(
  { activity, step, revision }: SubmittedOutput,
  outputs: readonly SubmittedOutput[],
  refusals: SessionHistory['refusals'],
): number {
  const last = outputs.findLast(
    (one) => one.revision < revision && one.activity === activity && one.step === step,
  );
  // In a step workflow, an activity is an iteration of a step. A refusal has the id of the step without its iterations.
  const refused = step === activity ? step.split('::').at(-1) : step;
  return refusals.filter(
    ({ act, rev, rj = [] }) =>
      act === activity &&
      rev < revision &&
      rev >= (last?.revision ?? 0) &&
      rj.some((rejected) => rejected.step === refused),
  ).length;
}

/** Returns a value, or the beginning of its JSON if that is too long. */
function shortenValue(value: Json): Json {
  const json = JSON.stringify(value);
  return json.length > mostValueChars ? `${json.slice(0, mostValueChars)}…` : value;
}
