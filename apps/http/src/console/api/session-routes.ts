import type {
  CheckpointAnswered,
  EventsPage,
  InsightsReply,
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
  SessionQuery,
  SessionRow,
  SessionSummary,
  SubmittedOutput,
} from '@workflowlookup/core/operator';
import { insightsCsv } from '@workflowlookup/core/operator';
import { drawSession, drawWorkflow, outlineOf } from '@workflowlookup/diagrams';
import type { Host } from '@workflowlookup/host';
import type { Workflow, Json, JsonObject } from '@workflowlookup/schema';
import { defined, walkActivitySteps, walkSteps, WorkflowError } from '@workflowlookup/schema';
import { sessionStatuses } from '@workflowlookup/storage';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { findMany } from '../../change-feed.ts';
import { consoleMessages } from '../../messages.ts';
import type { ConsoleEnv, UserRequest } from '../requests.ts';
import { readBody, readQuery, routes } from '../requests.ts';

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

const text = z.string().min(1).max(200);
/** In the form of the database, so that times compare as texts. */
const time = z.iso.datetime().transform((given) => new Date(given).toISOString());

const sessionsQuery = z.strictObject({
  status: z
    .string()
    .transform((words) => words.split(','))
    .pipe(z.array(z.enum(sessionStatuses)))
    .exactOptional(),
  workflow: text.exactOptional(),
  agent: text.exactOptional(),
  search: text.exactOptional(),
  tag: z.string().max(400).exactOptional(),
  text: text.exactOptional(),
  parent: text.exactOptional(),
  since: time.exactOptional(),
  before: time.exactOptional(),
  sort: z.enum(['started-last', 'started-first', 'longest', 'shortest']).exactOptional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(300).exactOptional(),
});

type Sort = NonNullable<z.infer<typeof sessionsQuery>['sort']>;

/** How many sessions are sorted at most: those that changed last. */
const mostSorted = 10_000;

/** Finds sessions in an order that the database has no index for. The cursor is the number of sessions before the page. */
async function findSorted(
  operator: Pick<Operator, 'find'>,
  query: SessionQuery,
  { sort, limit, cursor = '0' }: { readonly sort: Sort; readonly limit: number; readonly cursor?: string },
): ReturnType<Operator['find']> {
  if (!/^\d{1,5}$/.test(cursor)) throw new WorkflowError('INVALID_INPUT', consoleMessages.badCursor());
  const { sessions, ...found } = await findMany(operator, query, mostSorted);
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
    ...found,
    sessions: sessions.toSorted((a, b) => sign * (valueOf(a) - valueOf(b))).slice(start, end),
    ...(end < sessions.length && { next: String(end) }),
  };
}

/** Returns the body of a download. Each line is read when the client is ready for it. */
async function* encoded(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const line of lines) yield encoder.encode(`${line}\n`);
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
  note: z.string().exactOptional(),
  revision: z.int().min(1),
});

export function sessionRoutes({ audit }: Pick<Host, 'audit'>): Hono<ConsoleEnv> {
  return routes({
    async 'GET /'({ context, operator }): Promise<SessionsReply> {
      const { limit, cursor, sort, ...asked } = readQuery(context, sessionsQuery);
      const { status: statuses, workflow: workflowId, agent: agentPart, tag, parent, since, before } = asked;
      const query: SessionQuery = defined({
        statuses,
        workflowId,
        agentPart,
        search: asked.search,
        tags: tag === undefined ? tag : [tag],
        text: asked.text,
        parentSid: parent,
        updatedSince: since,
        updatedBefore: before,
      });
      const wanted = { limit, ...(cursor !== undefined && { cursor }) };
      const [{ sessions, ...page }, counts] = await Promise.all([
        sort === undefined ? operator.find(query, wanted) : findSorted(operator, query, { sort, ...wanted }),
        operator.counts(),
      ]);
      return { ...page, sessions: await sessionRows(operator, sessions), counts };
    },
    async 'GET /:sid'({ context, operator }): Promise<SessionDetail> {
      const summary = await find(context);
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
    },
    async 'GET /:sid/events'({ context, operator }): Promise<EventsPage> {
      const { sid, revision, unauthentic } = (await find(context)).session;
      const isUnverifiedToo = unauthentic !== undefined;
      const events = await operator.events(sid, { ...readQuery(context, range), isUnverifiedToo });
      const last = events.at(-1)?.revision ?? revision;
      return { events, ...(last < revision && { next: last }) };
    },
    async 'GET /:sid/export'({ context, operator }) {
      const { sid } = (await find(context)).session;
      // Verified first, because a download that has begun can't report an error; it could only break off.
      const verified = await operator.verify(sid);
      const broken = verified.problems.find(({ code }) => code === 'BROKEN_CHAIN' || code === 'FORGED');
      if (broken !== undefined)
        throw new WorkflowError('STORE_DAMAGED', consoleMessages.notExported(sid, broken.message));
      return context.body(ReadableStream.from(encoded(operator.export(sid, verified))), 200, {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': `attachment; filename="${sid.replaceAll(/[^\w.-]/g, '_')}.jsonl"`,
      });
    },
    async 'POST /:sid/answer'({ context, operator, signed }): Promise<CheckpointAnswered> {
      // The scope is checked before the session is reported as missing, so that without the scope the response does
      // not reveal which sessions exist.
      if (!signed.scopes.has('checkpoints:respond')) {
        const found = await find(context).catch(() => undefined);
        const session = found && { session: found.session.sid };
        audit.record({ action: 'answer', outcome: 'refused', code: 'FORBIDDEN', ...session });
        throw new WorkflowError('FORBIDDEN', consoleMessages.mayNotRespond('answer'));
      }
      const { session } = await find(context);
      const { note = '', ...given } = await readBody(context, answer);
      return operator.respond(session.sid, { ...given, ...(note !== '' && { note }) });
    },
    async 'POST /:sid/park'({ context, operator }): Promise<ParkingChanged> {
      const sid = await parkable(context);
      return operator.park(sid, await readBody(context, parkBody));
    },
    async 'POST /:sid/unpark'({ context, operator }): Promise<ParkingChanged> {
      return operator.unpark(await parkable(context));
    },
  });
}

const parkBody = z.strictObject({
  reason: z.string().min(1).max(500),
  until: z.string().max(40).exactOptional(),
});

/** Returns the id of a session that the user may park. @throws WorkflowError FORBIDDEN, NOT_FOUND */
async function parkable(context: Context<ConsoleEnv>): Promise<string> {
  if (!context.get('signed').scopes.has('checkpoints:respond'))
    throw new WorkflowError('FORBIDDEN', consoleMessages.mayNotRespond('park'));
  return (await find(context)).session.sid;
}

/** Returns the session in the path. Another user's session is reported as not found. @throws WorkflowError NOT_FOUND */
async function find(context: Context<ConsoleEnv>): Promise<SessionSummary> {
  const found = await context.get('operator').summary(context.req.param('sid') ?? '');
  if (found !== undefined) return found;
  throw new WorkflowError('NOT_FOUND', consoleMessages.noSession());
}

/** Returns an output, shortened to the maximum length. */
export function shorten({ output, ...rest }: SubmittedOutput, most: number): SessionOutput {
  if (output.length <= most) return { ...rest, output };
  return { ...rest, output: output.slice(0, most), chars: output.length };
}

/** The names of a workflow and its parts. */
export function namesIn(workflow: Workflow): WorkflowNames {
  if (workflow.kind === 'steps') {
    const steps = walkSteps(workflow.definition.steps).map(({ step: { id, title } }) => [
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

/** Returns a name that fits all iterations of a loop, in which variables may have different values. */
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
  return routes({
    async 'GET /'({ context, operator }): Promise<PastOutputs> {
      const { workflow } = readQuery(context, z.strictObject({ workflow: text }));
      const { sessions } = await operator.find({ workflowId: workflow }, { limit: maxSessions });
      const outputs: PastOutput[] = [];
      for (const { sid } of sessions) {
        outputs.push(...(await outputsOf(operator, sid)));
        if (outputs.length >= maxOutputs) break;
      }
      return { outputs: outputs.slice(0, maxOutputs), steps: askedIn(await host.engine.get(workflow)) };
    },
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
        // The iterations of a loop count together.
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
  const walked =
    workflow.kind === 'steps'
      ? walkSteps(workflow.definition.steps)
      : workflow.activities.flatMap(({ definition }) => [...walkActivitySteps(definition)]);
  const asked = walked.flatMap(({ step }): [string, JsonObject][] => {
    const { validationCriteria, fields } = step as { validationCriteria?: Json; fields?: Json };
    const parts = defined({ validationCriteria, fields });
    return Object.keys(parts).length === 0 ? [] : [[step.id, parts]];
  });
  return Object.fromEntries(asked);
}

const insightsQuery = z
  .strictObject({
    workflow: text.exactOptional(),
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
