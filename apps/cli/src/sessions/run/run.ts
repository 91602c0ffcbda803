import { readFile } from 'node:fs/promises';
import { createHost, userName } from '@workflowlookup/host';
import type { JsonObject } from '@workflowlookup/schema';
import { WorkflowError, idInCommand, isJsonObject, parseJson } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../../commands/command-line.ts';
import { exitCodes, shellWord } from '../../commands/command-line.ts';
import type { SourceFlags, StateFlags } from '../../commands/options.ts';
import { noteServed } from '../../definitions/trust-review.ts';
import { optionMessages } from '../../messages/common.ts';
import { checkpointMessages, runMessages, sessionMessages } from '../../messages/sessions.ts';
import { hostOptionsOf, personOptionsOf, storageOptionsOf } from '../../open-host.ts';
import type { SessionsContext } from '../context.ts';
import { sessionOf, withOperator } from '../context.ts';
import { unpark } from '../respond.ts';
import { jsonText, plainLine } from '../../terminal/plain-text.ts';
import type { Guide, ProgressEvent } from './work-through.ts';
import { progressText, workThrough } from './work-through.ts';

/**
 * Opens the source of the work: the files if any are named, one output each; a person at a terminal; otherwise the
 * lines of standard input.
 *
 * @throws WorkflowError INVALID_INPUT if there is no input; then nothing has been started
 */
async function openGuide(
  { env, terminal }: CommandContext,
  files: readonly string[],
  signal: AbortSignal,
): Promise<Guide> {
  if (files.length > 0) return preparedGuide(textsOf(files));
  if (terminal.isInteractive) return (await import('./terminal-guide.ts')).terminalGuide(env, signal);
  const replies = repliesIn(terminal.lines(signal));
  const first = await replies.next();
  if (first.done === true) throw new WorkflowError('INVALID_INPUT', runMessages.noInput);
  return preparedGuide(replies, first.value);
}

async function* textsOf(files: readonly string[]): AsyncGenerator<PreparedReply, void> {
  for (const file of files) yield { text: await readFile(file, 'utf8') };
}

/** Returns a guide that gives prepared replies in order: outputs of steps and answers to checkpoints. */
function preparedGuide(replies: AsyncGenerator<PreparedReply, void>, first?: PreparedReply): Guide {
  const read = first === undefined ? [] : [first];
  const next = async (): Promise<PreparedReply | undefined> =>
    read.pop() ?? ((await replies.next()).value || undefined);
  return {
    mayTryAgain: false,
    async work() {
      const reply = await next();
      return reply && { ...reply, output: reply.output ?? reply.text };
    },
    async answer({ answeredBy, checkpoint: { id, options }, sid }) {
      const { needsTerminal, noOption } = checkpointMessages;
      if (answeredBy === 'person') {
        const message = needsTerminal(id, `workflowlookup sessions resume ${idInCommand(sid)}`);
        throw new WorkflowError('HUMAN_REQUIRED', message);
      }
      const reply = await next();
      if (reply === undefined) return undefined;
      const option = reply.option ?? reply.text.trim();
      const ids = options.map((one) => one.id);
      if (ids.includes(option)) return { option, note: reply.note };
      throw new WorkflowError('INVALID_INPUT', noOption(id, option, ids.join(', ')));
    },
    // The server then takes the first open transition, as for an agent that names none.
    chooseActivity: () => Promise.resolve(undefined),
    close: async () => void (await replies.return()),
  };
}

/** A prepared reply to a step or a checkpoint. */
interface PreparedReply {
  /** The line as written. */
  readonly text: string;
  readonly output?: string | undefined;
  readonly variables?: JsonObject | undefined;
  /** The option that answers a checkpoint, and a note for the agent. */
  readonly option?: string | undefined;
  readonly note?: string | undefined;
  readonly step?: string | undefined;
  /** The activity to enter next. */
  readonly activity?: string | undefined;
}

const fields = new Set(['output', 'variables', 'option', 'note', 'step', 'activity']);

/**
 * Reads a line: a JSON object with the fields of a reply, a JSON string, or plain text. An output that is not a
 * string is submitted as JSON.
 */
function readReply(line: string): PreparedReply {
  const value = parseJson(line);
  if (typeof value === 'string') return { text: value };
  if (!isJsonObject(value) || !Object.keys(value).every((key) => fields.has(key))) return { text: line };
  const { output, variables } = value;
  const textOf = (key: string): string | undefined =>
    typeof value[key] === 'string' ? value[key] : undefined;
  return {
    text: line,
    output: textOf('output') ?? (output === undefined ? undefined : JSON.stringify(output)),
    variables: isJsonObject(variables) ? variables : undefined,
    option: textOf('option'),
    note: textOf('note'),
    step: textOf('step'),
    activity: textOf('activity'),
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
    if ('workflow' in subject)
      await noteServed(line, subject.workflow, host, { ...(await hostOptionsOf(line, flags)), ...place });
    const { token, value } = await host.sessions.start({
      agentId: flags.agent ?? userName(),
      ...('workflow' in subject
        ? { workflowId: subject.workflow }
        : { sessionToken: await sessionOf(host, subject.session) }),
    });
    const { id, version, title } = value.workflow;
    const { sid } = value;
    const event = 'workflow' in subject ? 'started' : 'resumed';
    await report({ event, sid, workflow: { id, version, title } });
    const end = await workThrough(
      { host, guide, sid, resumeCommand: resumeCommandOf(sid, flags), report },
      { token, variables },
    );
    // Prepared replies may end before the session does.
    const left = guide.mayTryAgain ? exitCodes.usage : exitCodes.ok;
    return { completed: exitCodes.ok, left, refused: exitCodes.findings }[end];
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave);
    await guide.close?.();
    await host.close();
  }
}

/** The command leaves the database address out because it may contain a password. */
function resumeCommandOf(sid: string, { state }: RunFlags): string {
  const where = state === undefined ? '' : ` --state ${shellWord(state)}`;
  return `workflowlookup sessions resume ${idInCommand(sid)}${where}`;
}

/**
 * Reads variables from JSON or from a file.
 *
 * @throws WorkflowError INVALID_INPUT
 */
async function readContext(given: string): Promise<JsonObject> {
  const value = parseJson(given.startsWith('@') ? await readFile(given.slice(1), 'utf8') : given);
  if (isJsonObject(value)) return value;
  throw new WorkflowError('INVALID_INPUT', optionMessages.context);
}

/**
 * Returns the workflow or the session that was named.
 *
 * @throws WorkflowError INVALID_INPUT unless exactly one is
 */
function subjectOf(workflow: string | undefined, { session }: Pick<RunFlags, 'session'>): Subject {
  if (workflow !== undefined && session === undefined) return { workflow };
  if (session !== undefined && workflow === undefined) return { session };
  throw new WorkflowError('INVALID_INPUT', runMessages.nameSubject);
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

/** Prints what an agent needs to take over a session. Changes nothing and creates no token. */
async function handOver(context: SessionsContext, session: string): Promise<ExitCode> {
  const task = await context.operator.task(await sessionOf(context, session));
  if (task.status === 'completed')
    throw new WorkflowError('SESSION_COMPLETED', sessionMessages.completed(task.sid));
  const { sid, workflow, status, activity } = task;
  const calls = [
    { tool: 'start_session', arguments: { agent_id: 'YOUR-NAME', session_token: sid } },
    { tool: 'get_workflow_status', arguments: { session_token: 'THE-TOKEN-OF-THAT-ANSWER' } },
  ];
  return context.answer({ sid, workflow, status, at: activity?.id, calls }, () => {
    const title = `${workflow.title} (${workflow.id} ${workflow.version})`;
    return [
      runMessages.takeOver(title, activity?.id, status === 'blocked'),
      '',
      runMessages.makeCalls,
      ...calls.map((call) => `  ${call.tool} ${JSON.stringify(call.arguments)}`),
      '',
      runMessages.lastResult,
    ]
      .map(plainLine)
      .join('\n');
  });
}
