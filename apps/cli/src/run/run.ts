import { readFile } from 'node:fs/promises';
import type { Question, Task } from '@workflowlookup/core/operator';
import type { Host } from '@workflowlookup/host';
import { createHost, userName } from '@workflowlookup/host';
import type { JsonObject } from '@workflowlookup/schema';
import { WorkflowError, idInCommand, isJsonObject } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../command-line.ts';
import { exitCodes, shellWord } from '../command-line.ts';
import type { SourceFlags, StateFlags } from '../commands/options.ts';
import { noteTrust } from '../definitions/trust-review.ts';
import { messages } from '../messages.ts';
import { hostOptionsOf, personOptionsOf, storageOptionsOf } from '../open-host.ts';
import type { SessionsContext } from '../sessions/context.ts';
import { sessionOf, withOperator } from '../sessions/context.ts';
import { unpark } from '../sessions/respond.ts';
import { jsonText, plainLine } from '../terminal/plain-text.ts';
import type { Guide, ProgressEvent } from './work-through.ts';
import { readJson, progressText, exitCodeOfEnd, workThrough } from './work-through.ts';

interface OpenGuide extends Guide {
  readonly isPrepared: boolean;
  close(): Promise<void>;
}

/**
 * Opens the source of the work: the files if any are named, one output each; a person at a terminal; otherwise the
 * lines of standard input.
 *
 * @throws WorkflowError INVALID_INPUT if there is no input; then nothing has been started
 */
async function openGuide(
  line: CommandContext,
  files: readonly string[],
  signal: AbortSignal,
): Promise<OpenGuide> {
  if (files.length > 0) return prepared(textsOf(files));
  if (line.terminal.isInteractive) {
    const { terminalGuide } = await import('./terminal-guide.ts');
    return { ...terminalGuide(line.env, signal), isPrepared: false, close: () => Promise.resolve() };
  }
  const replies = repliesIn(line.terminal.lines(signal));
  const first = await replies.next();
  if (first.done === true) throw noInput();
  return prepared(startingWith(first.value, replies));
}

function prepared(replies: AsyncGenerator<PreparedReply, void>): OpenGuide {
  return { ...linesGuide(replies), isPrepared: true, close: async () => void (await replies.return()) };
}

async function* textsOf(files: readonly string[]): AsyncGenerator<PreparedReply, void> {
  for (const file of files) yield { text: await readFile(file, 'utf8') };
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T, void> {
  yield first;
  yield* rest;
}

function noInput(): WorkflowError {
  return new WorkflowError('INVALID_INPUT', messages.run.noInput);
}

/** Returns a guide that gives prepared replies in order: outputs of steps and answers to checkpoints. */
function linesGuide(replies: AsyncIterator<PreparedReply, unknown>): Guide {
  const next = async (): Promise<PreparedReply | undefined> => {
    const { done, value } = await replies.next();
    return done === true ? undefined : value;
  };
  return {
    mayTryAgain: false,
    async work() {
      const reply = await next();
      if (reply === undefined) return undefined;
      const { text, output = text, variables, step, activity } = reply;
      return {
        output,
        ...(variables === undefined ? {} : { variables }),
        ...(step === undefined ? {} : { step }),
        ...(activity === undefined ? {} : { activity }),
      };
    },
    async answer(question) {
      if (question.answeredBy === 'person') throw needsTerminal(question);
      const reply = await next();
      if (reply === undefined) return undefined;
      const { note } = reply;
      const option = optionIn(question, reply.option ?? reply.text.trim());
      return { option, ...(note !== undefined && { note }) };
    },
    // The server then takes the first open transition, as for an agent that names none.
    chooseActivity: () => Promise.resolve(undefined),
  };
}

function optionIn({ checkpoint: { id, options } }: Question, named: string): string {
  const ids = options.map((option) => option.id);
  if (ids.includes(named)) return named;
  throw new WorkflowError('INVALID_INPUT', messages.checkpoints.noOption(id, named, ids.join(', ')));
}

function needsTerminal({ checkpoint, sid }: Question): WorkflowError {
  return new WorkflowError(
    'HUMAN_REQUIRED',
    messages.checkpoints.needsTerminal(checkpoint.id, `workflowlookup sessions resume ${idInCommand(sid)}`),
  );
}

/** A prepared reply to a step or a checkpoint. */
interface PreparedReply {
  /** The line as written. */
  readonly text: string;
  readonly output?: string;
  readonly variables?: JsonObject;
  /** The option that answers a checkpoint, and a note for the agent. */
  readonly option?: string;
  readonly note?: string;
  readonly step?: string;
  /** The activity to enter next. */
  readonly activity?: string;
}

const fields = new Set(['output', 'variables', 'option', 'note', 'step', 'activity']);

/**
 * Reads a line: a JSON object with the fields of a reply, a JSON string, or plain text. An output that is not a
 * string is submitted as JSON.
 */
function readReply(line: string): PreparedReply {
  const value = readJson(line);
  if (typeof value === 'string') return { text: value };
  if (!isJsonObject(value) || !Object.keys(value).every((key) => fields.has(key))) return { text: line };
  const { output, variables, option, note, step, activity } = value;
  return {
    text: line,
    ...(output === undefined ? {} : { output: typeof output === 'string' ? output : JSON.stringify(output) }),
    ...(isJsonObject(variables) ? { variables } : {}),
    ...(typeof option === 'string' ? { option } : {}),
    ...(typeof note === 'string' ? { note } : {}),
    ...(typeof step === 'string' ? { step } : {}),
    ...(typeof activity === 'string' ? { activity } : {}),
  };
}

/** Yields the replies in lines, without empty ones. */
async function* repliesIn(lines: AsyncIterable<string>): AsyncGenerator<PreparedReply, void> {
  for await (const line of lines) if (line.trim() !== '') yield readReply(line);
}

export interface RunFlags extends SourceFlags, StateFlags {
  readonly session?: string;
  readonly context?: string;
  readonly agent?: string;
  readonly output?: readonly string[];
}

/** A new session of a workflow, or an existing session. */
type Subject = { readonly workflow: string } | { readonly session: string };

/** Works through a workflow, at the terminal or with prepared replies. */
export async function run(
  line: CommandContext,
  workflow: string | undefined,
  flags: RunFlags,
): Promise<ExitCode> {
  const subject = subjectOf(workflow, flags);
  const { asJson, terminal } = line;
  const variables = flags.context === undefined ? {} : await readContext(flags.context);
  const interruption = new AbortController();
  const guide = await openGuide(line, flags.output ?? [], interruption.signal);
  const place = await storageOptionsOf(line, flags);
  const options = { ...(await personOptionsOf(line, flags)), ...place };
  const host = createHost({ ...options, environment: line.env });
  const report = async (event: ProgressEvent): Promise<void> => {
    if (asJson) return terminal.printExact(`${jsonText(event)}\n`);
    const text = progressText(event, terminal);
    if (text !== '') await terminal.print(`${text}\n`);
  };
  // When the input ends, the session stays as it is.
  const leave = (): void => interruption.abort();
  process.on('SIGINT', leave).on('SIGTERM', leave);
  try {
    if ('workflow' in subject) {
      const served = { ...(await hostOptionsOf(line, flags)), ...place };
      const isForPerson = options.trustProject === true && served.trustProject !== true;
      const asForAgents = async (): Promise<Host> => createHost(served);
      await noteTrust(line, subject.workflow, { host, ...(isForPerson && { asForAgents }) });
    }
    const begun = await begin(host, subject, flags.agent ?? userName());
    const { sid, isNew } = begun;
    await report({ event: isNew ? 'started' : 'resumed', sid, workflow: begun.workflow });
    const end = await workThrough(
      { host, guide, sid, resumeCommand: resumeCommandOf(sid, flags), report },
      { token: begun.token, variables },
    );
    return end === 'left' && guide.isPrepared ? exitCodes.ok : exitCodeOfEnd(end);
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave);
    await guide.close();
    await host.close();
  }
}

/** The command leaves the database address out because it may contain a password. */
function resumeCommandOf(sid: string, { state }: RunFlags): string {
  const where = state === undefined ? '' : ` --state ${shellWord(state)}`;
  return `workflowlookup sessions resume ${idInCommand(sid)}${where}`;
}

interface Begun {
  readonly sid: string;
  readonly token: string;
  readonly workflow: { readonly id: string; readonly version: string; readonly title: string };
  readonly isNew: boolean;
}

async function begin(host: Host, subject: Subject, agentId: string): Promise<Begun> {
  const isNew = 'workflow' in subject;
  const { token, value } = await host.sessions.start(
    isNew
      ? { agentId, workflowId: subject.workflow }
      : { agentId, sessionToken: await sessionOf(host, subject.session) },
  );
  const { id, version, title } = value.workflow;
  return { sid: value.sid, token, workflow: { id, version, title }, isNew };
}

/**
 * Reads variables from JSON or from a file.
 *
 * @throws WorkflowError INVALID_INPUT
 */
async function readContext(given: string): Promise<JsonObject> {
  const value = readJson(given.startsWith('@') ? await readFile(given.slice(1), 'utf8') : given);
  if (isJsonObject(value)) return value;
  throw new WorkflowError('INVALID_INPUT', messages.options.context);
}

/**
 * Returns the workflow or the session that was named.
 *
 * @throws WorkflowError INVALID_INPUT unless exactly one is
 */
function subjectOf(workflow: string | undefined, { session }: Pick<RunFlags, 'session'>): Subject {
  if (workflow !== undefined && session === undefined) return { workflow };
  if (session !== undefined && workflow === undefined) return { session };
  throw new WorkflowError('INVALID_INPUT', messages.run.nameSubject);
}

interface ResumeFlags extends RunFlags {
  readonly print?: boolean;
  readonly unpark?: boolean;
}

/** Resumes a session at the terminal, or only ends its parking, or prints what an agent needs to take it over. */
export async function resume(
  context: CommandContext,
  session: string,
  flags: ResumeFlags,
): Promise<ExitCode> {
  if (flags.unpark === true) return withOperator(context, flags, (opened) => unpark(opened, session));
  if (flags.print === true) return withOperator(context, flags, (opened) => handOver(opened, session));
  return run(context, undefined, { ...flags, session });
}

interface HandOver {
  readonly sid: string;
  readonly workflow: Task['workflow'];
  readonly status: Task['status'];
  /** The current activity. */
  readonly at?: string;
  /** The calls with which an agent takes over the session. */
  readonly calls: readonly { readonly tool: string; readonly arguments: Readonly<Record<string, string>> }[];
}

/** Prints what an agent needs to take over a session. Changes nothing and creates no token. */
async function handOver(context: SessionsContext, session: string): Promise<ExitCode> {
  const task = await context.operator.task(await sessionOf(context, session));
  if (task.status === 'completed') {
    throw new WorkflowError('SESSION_COMPLETED', messages.sessions.completed(task.sid));
  }
  const packet = packetOf(task);
  return context.answer(packet, () => packetText(packet));
}

function packetOf({ sid, workflow, status, activity }: Task): HandOver {
  return {
    sid,
    workflow,
    status,
    ...(activity === undefined ? {} : { at: activity.id }),
    calls: [
      { tool: 'start_session', arguments: { agent_id: 'YOUR-NAME', session_token: sid } },
      { tool: 'get_workflow_status', arguments: { session_token: 'THE-TOKEN-OF-THAT-ANSWER' } },
    ],
  };
}

function packetText({ workflow, status, at, calls }: HandOver): string {
  const { title, id, version } = workflow;
  const place = at === undefined ? 'at its start' : `at '${at}'`;
  const waits = status === 'blocked' ? ', where a checkpoint needs an answer' : '';
  return [
    `Take over a session of ${title} (${id} ${version}). It is ${place}${waits}.`,
    '',
    'The workflowlookup server stores it. Make these calls in order:',
    ...calls.map((call) => `  ${call.tool} ${JSON.stringify(call.arguments)}`),
    '',
    'The second result has the current state and the calls that are legal now. Each result has the token for the next call.',
  ]
    .map(plainLine)
    .join('\n');
}
