import type {
  CheckpointAnswered,
  EventsPage,
  ParkingChanged,
  SessionDetail,
  SessionListRow,
  SessionOutput,
  SessionsReply,
  WorkflowNames,
  PastOutput,
  PastOutputs,
} from '@workflowlookup/console/contract';
import type {
  Operator,
  Question,
  SessionQuery,
  SessionRow,
  SessionSummary,
  SubmittedOutput,
} from '@workflowlookup/core/operator';
import { drawSession, drawWorkflow, outlineOf } from '@workflowlookup/diagrams';
import type { Host } from '@workflowlookup/host';
import type { Workflow, JsonObject } from '@workflowlookup/schema';
import { walkActivitySteps, walkSteps, WorkflowError } from '@workflowlookup/schema';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import { consoleMessages } from '../../messages.ts';
import type { ConsoleEnv } from '../requests.ts';
import { answerError, readBody, readQuery } from '../requests.ts';

export function sessionRow({ session, ...summary }: SessionSummary): SessionListRow {
  return { ...rowOf(session), ...summary };
}

/**
 * Returns the rows of a list of sessions. A damaged session gets a row with its problem, so that the others are still
 * shown.
 */
async function sessionRows(
  operator: Pick<Operator, 'summary'>,
  sessions: readonly SessionRow[],
): Promise<readonly SessionListRow[]> {
  const rows = await Promise.all(
    sessions.map(async (session) => {
      try {
        const summary = await operator.summary(session.sid);
        return summary && sessionRow(summary);
      } catch (error) {
        const problem =
          error instanceof WorkflowError ? error.message : consoleMessages.sessionUnreadable(session.sid);
        return { ...rowOf(session), title: session.workflowId, progress: { done: 0, of: 0 }, problem };
      }
    }),
  );
  return rows.filter((row) => row !== undefined);
}

function rowOf({ hash: _hash, digest: _digest, ...row }: SessionRow): Omit<SessionRow, 'hash' | 'digest'> {
  return row;
}

const sessionStatus = z.enum(['active', 'blocked', 'parked', 'completed']);
const text = z.string().min(1).max(200);
const time = z.iso.datetime();

const sessionsQuery = z.strictObject({
  status: z
    .string()
    .transform((words) => words.split(','))
    .pipe(z.array(sessionStatus))
    .optional(),
  workflow: text.optional(),
  agent: text.optional(),
  search: text.optional(),
  tag: z
    .string()
    .max(400)
    .transform((one) => [one])
    .optional(),
  text: text.optional(),
  parent: text.optional(),
  since: time.optional(),
  before: time.optional(),
  sort: z.enum(['started-last', 'started-first', 'longest', 'shortest']).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(300).optional(),
});

export function sessionsRoutes(): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get('/', async (context) => {
    const { limit, cursor, sort, ...asked } = readQuery(context, sessionsQuery);
    const operator = context.get('operator');
    const wanted = { limit, ...(cursor !== undefined && { cursor }) };
    const [page, counts] = await Promise.all([
      sort === undefined
        ? operator.find(queryOf(asked), wanted)
        : findSorted(operator, queryOf(asked), { sort, ...wanted }),
      operator.counts(),
    ]);
    const sessions = await sessionRows(operator, page.sessions);
    const answer: SessionsReply = {
      sessions,
      ...(page.next !== undefined && { next: page.next }),
      ...(page.behind !== undefined && { behind: page.behind }),
      counts,
    };
    return context.json(answer);
  });
}

type Sort = NonNullable<z.infer<typeof sessionsQuery>['sort']>;

/** How many sessions are sorted at most: those that changed last. */
const mostSorted = 10_000;

/** Finds sessions in an order that the database has no index for. The cursor is the number of sessions before the page. */
async function findSorted(
  operator: Pick<Operator, 'find'>,
  query: SessionQuery,
  { sort, limit, cursor = '0' }: { readonly sort: Sort; readonly limit: number; readonly cursor?: string },
): Promise<Awaited<ReturnType<Operator['find']>>> {
  if (!/^\d{1,5}$/.test(cursor)) throw new WorkflowError('INVALID_INPUT', consoleMessages.badCursor());
  const rows: SessionRow[] = [];
  let behind: number | undefined;
  let from: string | undefined;
  do {
    const page = await operator.find(query, { limit: 1_000, ...(from !== undefined && { cursor: from }) });
    rows.push(...page.sessions);
    ({ behind, next: from } = page);
  } while (from !== undefined && rows.length < mostSorted);
  const nowMs = Date.now();
  const valueOf = ({ createdAt, status, updatedAt }: SessionRow): number => {
    const startMs = Date.parse(createdAt);
    if (sort === 'started-first' || sort === 'started-last') return startMs;
    return (status === 'completed' ? Date.parse(updatedAt) : nowMs) - startMs;
  };
  const sign = sort === 'started-first' || sort === 'shortest' ? 1 : -1;
  const start = Number(cursor);
  const end = start + limit;
  return {
    sessions: rows.toSorted((a, b) => sign * (valueOf(a) - valueOf(b))).slice(start, end),
    ...(end < rows.length && { next: String(end) }),
    ...(behind !== undefined && { behind }),
  };
}

function queryOf({
  status: statuses,
  workflow: workflowId,
  agent: agentPart,
  search,
  tag: tags,
  text: part,
  parent: parentSid,
  since,
  before,
}: Omit<z.infer<typeof sessionsQuery>, 'cursor' | 'limit' | 'sort'>): SessionQuery {
  return {
    ...(statuses !== undefined && { statuses }),
    ...(workflowId !== undefined && { workflowId }),
    ...(agentPart !== undefined && { agentPart }),
    ...(search !== undefined && { search }),
    ...(tags !== undefined && { tags }),
    ...(part !== undefined && { text: part }),
    ...(parentSid !== undefined && { parentSid }),
    ...(since !== undefined && { updatedSince: new Date(since).toISOString() }),
    ...(before !== undefined && { updatedBefore: new Date(before).toISOString() }),
  };
}

/** Returns the lines as the body of a response. Each line is read when the client is ready for it. */
function exportStream(lines: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const source = lines[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value.endsWith('\n') ? value : `${value}\n`));
    },
    async cancel() {
      await source.return?.();
    },
  });
}

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

export function sessionRoutes({ audit }: Pick<Host, 'audit'>): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get('/:sid', async (context) => {
      const found = await find(context);
      if (found === undefined) return noSession(context);
      return context.json(await readSession(context.get('operator'), found));
    })
    .get('/:sid/events', async (context) => {
      const found = await find(context);
      if (found === undefined) return noSession(context);
      const { after, limit } = readQuery(context, range);
      const { sid, revision, unauthentic } = found.session;
      const isUnverifiedToo = unauthentic !== undefined;
      const events = await context.get('operator').events(sid, { after, limit, isUnverifiedToo });
      const last = events.at(-1)?.revision ?? revision;
      return context.json<EventsPage, 200>({ events, ...(last < revision && { next: last }) });
    })
    .get('/:sid/export', async (context) => {
      const found = await find(context);
      if (found === undefined) return noSession(context);
      const { sid } = found.session;
      const operator = context.get('operator');
      // Verified first, because a download that has begun can't report an error; it could only break off.
      const verified = await operator.verify(sid);
      const broken = verified.problems.find(({ code }) => code === 'BROKEN_CHAIN' || code === 'FORGED');
      if (broken !== undefined)
        throw new WorkflowError('STORE_DAMAGED', consoleMessages.notExported(sid, broken.message));
      return context.body(exportStream(operator.export(sid, verified)), 200, {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': `attachment; filename="${sid.replaceAll(/[^\w.-]/g, '_')}.jsonl"`,
      });
    })
    .post('/:sid/answer', async (context) => {
      const found = await find(context);
      // The scope is checked before the session is reported as missing, so that without the scope the response does not
      // reveal which sessions exist.
      if (!context.get('signed').scopes.has('checkpoints:respond')) {
        const session = found && { session: found.session.sid };
        audit.record({ action: 'answer', outcome: 'refused', code: 'FORBIDDEN', ...session });
        throw new WorkflowError('FORBIDDEN', consoleMessages.mayNotAnswer());
      }
      if (found === undefined) return noSession(context);
      const { note, ...given } = await readBody(context, answer);
      const answered: CheckpointAnswered = await context
        .get('operator')
        .respond(found.session.sid, { ...given, ...(note !== undefined && note !== '' && { note }) });
      return context.json(answered);
    })
    .post('/:sid/park', (context) =>
      changeParking(context, async (operator, sid) => {
        const { reason, until } = await readBody(context, parkBody);
        return operator.park(sid, { reason, ...(until !== undefined && { until }) });
      }),
    )
    .post('/:sid/unpark', (context) => changeParking(context, (operator, sid) => operator.unpark(sid)));
}

const parkBody = z.strictObject({ reason: z.string().min(1).max(500), until: z.string().max(40).optional() });

async function changeParking(
  context: Context<ConsoleEnv>,
  change: (operator: Operator, sid: string) => Promise<ParkingChanged>,
): Promise<Response> {
  if (!context.get('signed').scopes.has('checkpoints:respond'))
    throw new WorkflowError('FORBIDDEN', consoleMessages.mayNotPark());
  const found = await find(context);
  if (found === undefined) return noSession(context);
  return context.json(await change(context.get('operator'), found.session.sid));
}

function find(context: Context<ConsoleEnv>): Promise<SessionSummary | undefined> {
  return context.get('operator').summary(context.req.param('sid') ?? '');
}

/** Another user's session is reported as not found. */
function noSession(context: Context): Response {
  return answerError(context, {
    code: 'NOT_FOUND',
    message: consoleMessages.noSession(),
  });
}

async function readSession(operator: Operator, summary: SessionSummary): Promise<SessionDetail> {
  const { sid } = summary.session;
  const [history, { workflow, variables, outputs }] = await Promise.all([
    operator.history(sid),
    operator.contents(sid),
  ]);
  return {
    row: sessionRow(summary),
    history,
    outline: outlineOf(workflow),
    graph: drawSession(drawWorkflow(workflow), history),
    variables,
    outputs: outputs.map((output) => shorten(output, 20_000)),
  };
}

/** The checkpoint that waits; `undefined` where it was answered meanwhile. */
export async function questionOf(operator: Operator, sid: string): Promise<Question | undefined> {
  return operator.present(sid).catch((error: unknown) => {
    if (error instanceof WorkflowError && error.code === 'INVALID_STATE') return undefined;
    throw error;
  });
}

/** Returns an output, shortened to the maximum length. */
export function shorten({ output, ...rest }: SubmittedOutput, most: number): SessionOutput {
  if (output.length <= most) return { ...rest, output };
  return { ...rest, output: output.slice(0, most), chars: output.length };
}

/** The names of a workflow and its parts. */
export function namesIn(workflow: Workflow): WorkflowNames {
  if (workflow.kind === 'steps') {
    const steps = [...walkSteps(workflow.definition.steps)].map(({ step: { id, title } }) => [
      id,
      withoutVariables(title),
    ]);
    return { name: workflow.definition.name, activities: Object.fromEntries(steps), steps: {} };
  }
  const { title } = workflow.definition;
  const parts = workflow.activities.map(({ definition }) => definition);
  const steps = parts.flatMap((part) =>
    [...walkActivitySteps(part)].map(({ step: { id, name = id } }) => [id, withoutVariables(name)]),
  );
  return {
    name: title,
    activities: Object.fromEntries(parts.map(({ id, name }) => [id, name])),
    steps: Object.fromEntries(steps),
  };
}

/** Returns a name that fits all rounds of a loop, in which variables may have different values. */
function withoutVariables(name: string): string {
  return name.replaceAll(/\{\{[^{}]*\}\}/g, '…');
}

const maxSessions = 30;
const maxOutputs = 200;
const maxChars = 20_000;
/** Up to this length, the trace has refused outputs in full. */
const wholeChars = 1_000;

/**
 * Returns outputs of past sessions, on which an author can try criteria. They come only from sessions that the user may
 * see.
 */
export function outputRoutes(host: Pick<Host, 'engine'>): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get('/', async (context) => {
    const { workflow } = readQuery(context, z.strictObject({ workflow: z.string().min(1).max(200) }));
    const operator = context.get('operator');
    const { sessions } = await operator.find({ workflowId: workflow }, { limit: maxSessions });
    const outputs: PastOutput[] = [];
    for (const { sid } of sessions) {
      outputs.push(...(await outputsOf(operator, sid)));
      if (outputs.length >= maxOutputs) break;
    }
    const found: PastOutputs = {
      outputs: outputs.slice(0, maxOutputs),
      steps: askedIn(await host.engine.get(workflow)),
    };
    return context.json(found);
  });
}

/** Returns the outputs of a session. A damaged session has none, so that the outputs of others are still shown. */
async function outputsOf(
  operator: Pick<Operator, 'contents' | 'history' | 'summary'>,
  sid: string,
): Promise<readonly PastOutput[]> {
  try {
    const summary = await operator.summary(sid);
    const [{ outputs }, { refusals }] = await Promise.all([operator.contents(sid), operator.history(sid)]);
    const title = summary?.subject ?? `${summary?.title ?? ''} ${sid.slice(0, 8)}`.trim();
    // The output of a step that was reported as not done was not checked against criteria.
    const accepted = outputs.flatMap(({ activity, step, output, at, notDone }) =>
      notDone === undefined ? [{ activity, step, output, at }] : [],
    );
    const refused = refusals.flatMap(({ act, ts, rj = [] }) =>
      rj.flatMap(({ step, output }) =>
        // Of a longer output, the trace has only the beginning, for which the criteria could give another result.
        output === undefined || output.length > wholeChars
          ? []
          : [{ activity: act, step, output, at: ts, isRefused: true as const }],
      ),
    );
    return [...accepted, ...refused]
      .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
      .map(({ at: _at, step, output, ...rest }) => ({
        sid,
        title,
        ...rest,
        // The rounds of a loop count together.
        step: step.split('::').at(-1) ?? step,
        output: output.slice(0, maxChars),
      }))
      .toReversed();
  } catch (error) {
    if (error instanceof WorkflowError && error.code !== 'STORE_UNAVAILABLE') return [];
    throw error;
  }
}

/** The criteria that each step of a workflow has for its output. */
function askedIn(workflow: Workflow): PastOutputs['steps'] {
  const steps =
    workflow.kind === 'steps'
      ? [...walkSteps(workflow.definition.steps)].map(({ step }) => step)
      : workflow.activities.flatMap(({ definition }) =>
          [...walkActivitySteps(definition)].map(({ step }) => step),
        );
  const asked = steps.flatMap((step): [string, JsonObject][] => {
    const { validationCriteria, fields } = step as { validationCriteria?: unknown; fields?: unknown };
    if (validationCriteria === undefined && fields === undefined) return [];
    const parts = {
      ...(validationCriteria !== undefined && { validationCriteria }),
      ...(fields !== undefined && { fields }),
    };
    return [[step.id, parts as JsonObject]];
  });
  return Object.fromEntries(asked);
}
