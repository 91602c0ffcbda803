import type { AnswerMode, Answered, Presented, Reply } from '@workflowlookup/core/sessions';
import type { Json, JsonObject } from '@workflowlookup/schema';
import { messages } from '../messages.ts';
import {
  activityAnswer,
  invalidArguments,
  loadOnFirstCall,
  textAnswer,
  toToon,
  defineTool,
  readAnnotations,
  writeAnnotations,
  answerNote,
  checkpointHandle,
  variableValues,
  flag,
  idText,
  argumentsSchema,
  includeActivity,
  sessionToken,
  tokenForHandle,
} from '../tool-support/tool.ts';
import {
  evidenceJson,
  longestWaitMs,
  notDoneJson,
  personNoteJson,
  present,
  takenJson,
} from '../tool-support/session-json.ts';
import type { Choice, ToolAnswer, ToolContext } from '../tool-support/tool.ts';

interface YieldCheckpointArgs {
  readonly session_token: string;
  readonly checkpoint_id: string;
  readonly variables?: Readonly<Record<string, Json>>;
  readonly include_checkpoint?: boolean;
}

/** `yield_checkpoint`: stops the session at a checkpoint until it is answered. */
export const yieldCheckpoint = defineTool<YieldCheckpointArgs>({
  name: 'yield_checkpoint',
  title: 'Stop at a checkpoint',
  description:
    'Stops the session at a checkpoint of the current activity until it is answered. Call it when a step names one.',
  inputSchema: argumentsSchema(
    {
      session_token: sessionToken,
      checkpoint_id: idText('Checkpoint id'),
      variables: variableValues('Values that the question should show'),
      include_checkpoint: flag('Return the question too'),
    },
    ['session_token', 'checkpoint_id'],
  ),
  annotations: writeAnnotations,
  waits: ({ include_checkpoint: includesCheckpoint = false }) => includesCheckpoint,
  async run(call, args) {
    const { session_token: token, checkpoint_id: checkpointId, variables } = args;
    const reply = await call.sessions.yield(token, checkpointId, variables);
    const { taken } = reply.value;
    if (taken !== undefined) {
      const message = messages.taken();
      return { reply, json: { status: 'taken', ...answeredJson(taken), message } };
    }
    if (args.include_checkpoint === true) return askOrPresent(call, reply.token, { status: 'yielded' });
    const { checkpoint, isAlone } = reply.value;
    const handed = { checkpoint_id: checkpoint, checkpoint_handle: reply.token };
    return { reply, json: { status: 'yielded', ...handed, message: messages.yielded(isAlone) } };
  },
});

/** `present_checkpoint`: shows the yielded checkpoint, or asks the person directly if the client supports that. */
export const presentCheckpoint = defineTool<CheckpointReference>({
  name: 'present_checkpoint',
  title: 'Show a checkpoint',
  description:
    'Shows the yielded checkpoint: message, options, effects, who decides. Call it before you ask the user; some clients ask for you.',
  inputSchema: argumentsSchema({ checkpoint_handle: checkpointHandle, session_token: tokenForHandle }, []),
  annotations: writeAnnotations,
  waits: () => true,
  run: async (call, args) => askOrPresent(call, await checkpointToken(args)),
});

/** Asks the user through the client, or returns the question for the agent to ask. `more` begins the text of the question. */
async function askOrPresent(call: ToolContext, token: string, more: object = {}): Promise<ToolAnswer> {
  const reply = await call.sessions.present(token);
  const option = await askPerson(call, reply.value);
  if (option === undefined) return checkpointText(reply, more);
  const mode = { kind: 'option', option } as const;
  return checkpointAnswered(await call.sessions.answer(reply.token, { mode, through: 'elicitation' }));
}

async function askPerson({ elicit }: ToolContext, presented: Presented): Promise<Choice> {
  if (elicit === undefined || !presented.mayElicit) return undefined;
  const { message, options } = (await loadOnFirstCall()).markedCheckpoint(presented);
  return elicit({
    message: presented.values.every(({ isFromWorkflow }) => isFromWorkflow)
      ? message
      : `${message}\n\n${messages.markedText()}`,
    options: options.map(({ id, label, description }) => ({
      id,
      label,
      ...(description !== undefined && { description }),
    })),
  });
}

async function checkpointText(reply: Reply<Presented>, more: object): Promise<ToolAnswer> {
  const { value, warnings } = reply;
  const shown = present({
    ...more,
    checkpoint_handle: reply.token,
    activity_id: value.activity,
    workflow_source: value.definition.source,
    workflow_digest: value.definition.digest,
    yielded_at: value.yieldedAt,
    answered_by: value.answeredBy,
    human_answers_with: value.humanAnswersWith,
    evidence: value.evidence?.map(evidenceJson),
    how_to_answer: messages.howToAnswer(value.answeredBy),
    ...takenJson(value.taken),
    ...notDoneJson(value.notDone),
    warnings: warnings.length > 0 ? warnings : undefined,
    ...value.checkpoint,
  });
  return textAnswer(reply, await toToon(shown));
}

interface RespondCheckpointArgs extends CheckpointReference {
  readonly option_id?: string;
  readonly auto_advance?: boolean;
  readonly condition_not_met?: boolean;
  readonly note?: string;
  readonly include_activity?: boolean;
}

/** `respond_checkpoint`: answers the yielded checkpoint. */
export const respondCheckpoint = defineTool<RespondCheckpointArgs>({
  name: 'respond_checkpoint',
  title: 'Answer a checkpoint',
  description:
    'Answers the yielded checkpoint in exactly one way. Call it with the option the user chose, or if its timer or condition allows.',
  inputSchema: argumentsSchema(
    {
      checkpoint_handle: checkpointHandle,
      session_token: tokenForHandle,
      option_id: idText('Option that the user chose'),
      auto_advance: flag('Take the default once the timer has run'),
      condition_not_met: flag('Dismiss it, because its condition is false'),
      note: answerNote,
      include_activity: includeActivity,
    },
    [],
  ),
  annotations: writeAnnotations,
  async run({ sessions }, args) {
    const token = await checkpointToken(args);
    const { note } = args;
    const answer = { mode: await answerMode(args), ...(note !== undefined && { note }) };
    const reply = await sessions.answer(token, answer);
    if (args.include_activity !== true) return checkpointAnswered(reply);
    const resumed = await sessions.resume(reply.token, undefined, { includeActivity: true });
    const { reading } = resumed.value;
    const given = answeredJson(reply.value);
    return reading === undefined ? { reply: resumed, json: given } : activityAnswer(resumed, reading, given);
  },
});

/** Returns the one way of answering that the arguments choose. A flag with the value false chooses nothing. */
async function answerMode({
  option_id: option,
  auto_advance: advance,
  condition_not_met: dismiss,
}: RespondCheckpointArgs): Promise<AnswerMode> {
  const modes: readonly AnswerMode[] = [
    ...(option === undefined ? [] : [{ kind: 'option', option } as const]),
    ...(advance === true ? [{ kind: 'auto-advance' } as const] : []),
    ...(dismiss === true ? [{ kind: 'condition-not-met' } as const] : []),
  ];
  const [mode] = modes;
  if (mode !== undefined && modes.length === 1) return mode;
  throw await invalidArguments(messages.oneAnswer(modes.length));
}

interface ResumeCheckpointArgs {
  readonly session_token: string;
  readonly wait_ms?: number;
  readonly include_activity?: boolean;
}

/** `resume_checkpoint`: lets the worker continue once the checkpoint is answered. */
export const resumeCheckpoint = defineTool<ResumeCheckpointArgs>({
  name: 'resume_checkpoint',
  title: 'Continue after a checkpoint',
  description:
    'Continues the work once its checkpoint is answered. Call it with wait_ms if a person has to answer.',
  inputSchema: argumentsSchema(
    {
      session_token: sessionToken,
      wait_ms: {
        type: 'integer',
        description: 'Milliseconds to wait for the answer',
        minimum: 0,
        maximum: longestWaitMs,
      },
      include_activity: includeActivity,
    },
    ['session_token'],
  ),
  annotations: readAnnotations,
  waits: ({ wait_ms: waitMs = 0 }) => waitMs > 0,
  async run({ sessions, signal }, args) {
    const { session_token: token, wait_ms: waitMs = 0, include_activity: includesActivity = false } = args;
    const reply = await sessions.resume(token, { waitMs, signal }, { includeActivity: includesActivity });
    const status = 'resumed';
    const { reading, notes } = reply.value;
    if (reading !== undefined) return activityAnswer(reply, reading, { status });
    if (notes === undefined) return { reply, json: { status, message: messages.resumed() } };
    const message = messages.resumedWithNotes();
    return { reply, json: { status, message, person_notes: notes.map(personNoteJson) } };
  },
});

/** The arguments that identify the yielded checkpoint. */
interface CheckpointReference {
  readonly checkpoint_handle?: string;
  readonly session_token?: string;
}

/**
 * Returns the checkpoint handle, or else the session token.
 *
 * @throws INVALID_INPUT if both are missing
 */
async function checkpointToken({
  checkpoint_handle: handle,
  session_token: token,
}: CheckpointReference): Promise<string> {
  const given = handle ?? token;
  if (given !== undefined) return given;
  throw await invalidArguments(messages.checkpointTokenMissing());
}

function checkpointAnswered(reply: Reply<Answered>): ToolAnswer {
  const { checkpoint_id: id, resolved, ...answered } = answeredJson(reply.value);
  return { reply, json: { checkpoint_id: id, resolved, checkpoint_handle: reply.token, ...answered } };
}

function answeredJson({ checkpoint, answer, effect }: Answered): JsonObject {
  return {
    checkpoint_id: checkpoint,
    resolved: true,
    ...(answer.kind === 'dismissed' ? { dismissed: true } : { resolved_option: answer.option }),
    ...(effect !== undefined && { effect: { ...effect } }),
  };
}
