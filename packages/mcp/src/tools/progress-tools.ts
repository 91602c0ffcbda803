import type {
  ActivityClaim,
  AnswerRequest,
  Reply,
  ReportedStep,
  SessionStatus,
  Sessions,
  TraceEvent,
  CollectedEvidence,
} from '@workflowlookup/core/sessions';
import type { Json, JsonObject } from '@workflowlookup/schema';
import { callKinds, messages } from '../messages.ts';
import {
  importJson,
  notDoneJson,
  present,
  statusJson,
  tokenPlaceholder,
  evidenceJson,
} from '../tool-support/session-json.ts';
import type { ToolAnswer } from '../tool-support/tool.ts';
import {
  activityAnswer,
  invalidArguments,
  withToken,
  defineTool,
  offeredAtOnce,
  readAnnotations,
  writeAnnotations,
  answerNote,
  conditionText,
  variableValues,
  includeActivity,
  objectList,
  idText,
  argumentsSchema,
  sessionToken,
  text,
  texts,
} from '../tool-support/tool.ts';

/** Answers the open checkpoint, then moves. If the move is refused, the answer stays, and the error has the token after it. */
async function answerFirst<Result>(
  sessions: Sessions,
  { token, ...answer }: { readonly token: string } & AnswerRequest,
  move: (token: string) => Promise<Result>,
): Promise<Result> {
  const answered = await sessions.answer(token, answer);
  try {
    return await move(answered.token);
  } catch (error) {
    throw await withToken(error, answered.token);
  }
}

/** A step of a manifest: done with an output, or not done, or not proved, with a reason. */
interface StepReport {
  readonly step_id: string;
  readonly output?: string | JsonObject;
  readonly not_done?: string;
}

interface NextActivityArgs {
  readonly session_token: string;
  readonly option_id?: string;
  readonly note?: string;
  readonly activity_id?: string;
  readonly transition_condition?: string;
  readonly step_manifest?: readonly StepReport[];
  readonly activity_manifest?: readonly ActivityClaim[];
  readonly variables?: Readonly<Record<string, Json>>;
  readonly include_activity?: boolean;
}

/** The schema of an output in a manifest. An empty one is refused with the reason. */
const manifestOutput: JsonObject = {
  description: 'Output of the step: a text, or an object as its outputSchema says',
  anyOf: [{ type: 'string' }, { type: 'object' }],
};

/** `next_activity`: enters the next activity or completes the session. */
export const nextActivity = defineTool<NextActivityArgs>({
  name: 'next_activity',
  title: 'Next activity',
  description:
    'Enters the next activity: submits the steps of the current one. Returns it with include_activity, or call get_activity.',
  inputSchema: argumentsSchema(
    {
      session_token: sessionToken,
      option_id: idText('Answer to the open checkpoint'),
      note: answerNote,
      activity_id: idText('Default: the first allowed one. end: completes the session'),
      transition_condition: conditionText('Condition of the transition to take'),
      step_manifest: objectList(
        'Every step you did, in order',
        {
          step_id: idText('Step id'),
          output: manifestOutput,
          not_done: {
            ...text('Why a step that may be missing was not done or proved'),
            minLength: 1,
            maxLength: 1000,
          },
        },
        ['step_id'],
      ),
      activity_manifest: objectList(
        'Activities completed so far',
        {
          activity_id: idText('Activity id'),
          outcome: text('How it ended'),
          transition_condition: conditionText('Condition of the transition taken'),
        },
        ['activity_id', 'outcome'],
      ),
      variables: variableValues(
        'Values you learned, set before the transition is checked; output fields set theirs',
      ),
      include_activity: includeActivity,
    },
    ['session_token'],
  ),
  annotations: writeAnnotations,
  _meta: offeredAtOnce,
  async run({ sessions }, args) {
    const { session_token: token, activity_id: activityId, transition_condition: condition } = args;
    const { step_manifest: manifest, activity_manifest: activityManifest, variables } = args;
    const { include_activity: includesActivity = false, option_id: option, note } = args;
    const request = {
      ...(activityId !== undefined && { activityId }),
      ...(condition !== undefined && { condition }),
      ...(manifest !== undefined && { manifest: await entriesOf(manifest) }),
      ...(activityManifest !== undefined && { activityManifest }),
      ...(variables !== undefined && { variables }),
    };
    const move = (current: string) => sessions.move(current, request, { includeActivity: includesActivity });
    if (option === undefined && note !== undefined)
      throw await invalidArguments(messages.noteWithoutAnswer());
    const answer = option === undefined ? undefined : ({ kind: 'option', option } as const);
    const reply = await (answer === undefined
      ? move(token)
      : answerFirst(sessions, { token, mode: answer, ...(note !== undefined && { note }) }, move));
    const moved = reply.value;
    if (moved.status === 'active' && moved.reading !== undefined) return activityAnswer(reply, moved.reading);
    if (moved.status === 'active') return { reply, json: { activity_id: moved.activity, name: moved.name } };
    // An agent that works alone has completed them all itself.
    const completed = !includesActivity && { completed_activities: moved.completed };
    return { reply, json: { status: moved.status, ...completed, ...notDoneJson(moved.notDone) } };
  },
});

/** Returns the entries of a manifest. @throws INVALID_INPUT for an entry with neither an output nor a reason */
async function entriesOf(manifest: readonly StepReport[]): Promise<readonly ReportedStep[]> {
  for (const [at, { output, not_done: reason }] of manifest.entries()) {
    if (output === undefined && reason === undefined)
      throw await invalidArguments(messages.outputMissing(`step_manifest.${at}`));
  }
  return manifest.map(({ output = '', ...entry }) => ({ ...entry, output }));
}

/** The maximum length of a status in characters. */
const maxStatusLength = 4000;

/** The maximum length of a status that repeats the token in each of its next calls. A model reads every character of it. */
const maxLengthWithTokens = 2500;

/** `get_workflow_status`: returns the state of a session and the calls that are allowed now. */
export const getWorkflowStatus = defineTool<{ readonly session_token: string }>({
  name: 'get_workflow_status',
  title: 'Status of a session',
  description:
    'Returns the state of the session and the calls that are allowed now. Call it after lost context or when unsure.',
  inputSchema: argumentsSchema({ session_token: sessionToken }, ['session_token']),
  annotations: readAnnotations,
  run: async ({ sessions }, { session_token: token }) => withinLimit(await sessions.status(token)),
});

/**
 * Returns the status within the limit: with the token in each next call if it stays short, and else with as many next calls
 * as there is room for, at least one.
 */
function withinLimit(reply: Reply<SessionStatus>): ToolAnswer {
  const { token, value: status } = reply;
  const whole = statusJson(status, { token });
  if (lengthOf(whole, reply) <= maxLengthWithTokens) return { reply, json: whole };
  let calls = status.next.length;
  for (;;) {
    const json = statusJson(status, { token: tokenPlaceholder, calls });
    if (calls <= 1 || lengthOf(json, reply) <= maxStatusLength) return { reply, json };
    calls -= 1;
  }
}

/** Returns the length of a status with the token and the warnings: never less than what is sent. */
function lengthOf(json: object, { token, warnings }: Reply<SessionStatus>): number {
  return JSON.stringify({ ...json, session_token: token, warnings }).length;
}

interface ParkArgs {
  readonly session_token: string;
  readonly reason: string;
  readonly until?: string;
}

/** `park`: sets a session aside; the next `next_activity` or `start_session` resumes it. */
export const park = defineTool<ParkArgs>({
  name: 'park',
  title: 'Park a session',
  description:
    'Sets the session aside and keeps everything. Call it if you must stop in the middle; next_activity or start_session resumes it.',
  inputSchema: argumentsSchema(
    {
      session_token: sessionToken,
      reason: text('Why the work stops, and what it waits for'),
      until: text('ISO 8601 time with zone from which discover lists it as open again'),
    },
    ['session_token', 'reason'],
  ),
  annotations: writeAnnotations,
  async run({ sessions }, { session_token: token, reason, until }) {
    const reply = await sessions.park(token, { reason, ...(until !== undefined && { until }) });
    return { reply, json: { status: 'parked', ...reply.value } };
  },
});

interface GetTraceArgs {
  readonly session_token: string;
  readonly trace_tokens?: readonly string[];
}

/** `get_trace`: returns the recorded calls of a session. */
export const getTrace = defineTool<GetTraceArgs>({
  name: 'get_trace',
  title: 'Trace of a session',
  description: 'Shows the recorded calls of the session. Use it to review what was done.',
  inputSchema: argumentsSchema(
    {
      session_token: sessionToken,
      trace_tokens: texts('Return only the segments of these; default: all calls'),
    },
    ['session_token'],
  ),
  annotations: readAnnotations,
  async run({ sessions }, { session_token: token, trace_tokens: traceTokens }) {
    const reply = await sessions.trace(token, traceTokens);
    const { source, eventCount, events, tokenErrors, marks } = reply.value;
    const json = {
      source,
      event_count: eventCount,
      events: events.map(traceEventJson),
      ...(tokenErrors !== undefined && { token_errors: tokenErrors }),
      ...importJson(marks ?? {}),
    };
    return { reply, json };
  },
});

/** Returns an event of the trace under the name of its tool, without its internal revision. */
function traceEventJson({ rev: _rev, rj: _rejected, read: _read, name, note, ...event }: TraceEvent): object {
  const { traceId, spanId, ...rest } = event;
  const said = note !== undefined && { person_note: note };
  return { traceId, spanId, name: isOfPerson(name) ? name : callKinds[name].tool, ...rest, ...said };
}

/** Returns whether only people make a call, which has no tool then. */
function isOfPerson(name: TraceEvent['name']): name is 'abandon' | 'unpark' {
  return name === 'abandon' || name === 'unpark';
}

interface CollectEvidenceArgs {
  readonly session_token: string;
  readonly evidence_ids?: readonly string[];
  readonly wait_ms?: number;
  readonly statement?: string;
}

/** How long a call waits for its commands unless it says otherwise. Clients end calls that take a minute. */
const defaultWaitMs = 45_000;

const longestWaitMs = 600_000;

/** `collect_evidence`: has the server run the checks that the current activity asks for. */
export const collectEvidence = defineTool<CollectEvidenceArgs>({
  name: 'collect_evidence',
  title: 'Collect evidence',
  description:
    'Collects the evidence that the current activity asks for: runs its checks, looks at files. Call it before next_activity, again while a check runs.',
  inputSchema: argumentsSchema(
    {
      session_token: sessionToken,
      evidence_ids: { ...texts('Only these; default: all still needed'), maxItems: 100 },
      wait_ms: {
        type: 'integer',
        description: `Default ${defaultWaitMs}`,
        minimum: 0,
        maximum: longestWaitMs,
      },
      // Its length is checked where it is read.
      statement: { type: 'string', description: 'Signed by CI' },
    },
    ['session_token'],
  ),
  // It runs commands of the project, which may do anything that its files say.
  annotations: { ...writeAnnotations, openWorldHint: true },
  waits: ({ wait_ms: waitMs = defaultWaitMs }) => waitMs > 0,
  async run({ sessions, signal, progress }, args) {
    const { session_token: token, evidence_ids: evidenceIds, statement } = args;
    const { wait_ms: waitMs = defaultWaitMs } = args;
    let told = 0;
    const reply = await sessions.collect(token, {
      waitMs,
      signal,
      ...(evidenceIds !== undefined && { evidenceIds }),
      ...(statement !== undefined && { statement }),
      ...(progress !== undefined && {
        onProgress: ({ id, elapsedMs, lastLine }) => {
          // The number has to grow, also while several checks run.
          told += 1;
          progress({
            progress: told,
            message: `${id}: ${Math.round(elapsedMs / 1000)} s ${lastLine}`.trim(),
          });
        },
      }),
    });
    return { reply, json: { evidence: reply.value.evidence.map(collectedJson) } };
  },
});

function collectedJson({ running, message, ...evidenceState }: CollectedEvidence): JsonObject {
  if (running === undefined) return present({ ...evidenceJson(evidenceState), message });
  return {
    evidence_id: evidenceState.id,
    activity_id: evidenceState.activity,
    status: 'running',
    elapsed_ms: running.elapsedMs,
    ...(running.lastLine !== '' && { last_line: running.lastLine }),
  };
}
