import { readFile } from 'node:fs/promises';
import type { Host } from '@workflowlookup/host';
import { createHost, userName } from '@workflowlookup/host';
import type { JsonObject } from '@workflowlookup/schema';
import { idInCommand, isJsonObject, WorkflowError } from '@workflowlookup/schema';
import type { CommandLine } from '../command-line.ts';
import type { SourceFlags } from '../definitions/add-definition-command.ts';
import { hostOptionsOf, personOptionsOf } from '../definitions/host-options.ts';
import { noteTrust } from '../trust/reason-text.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { jsonText } from '../plain-text.ts';
import { shellWord } from '../render/shell-word.ts';
import { sessionOf } from '../sessions/session-of.ts';
import type { StateFlags } from '../state/add-state-command.ts';
import { placeOf } from '../state/place-of.ts';
import { openGuide } from './open-guide.ts';
import { readJson } from './read-json.ts';
import { exitCodeOfWalk, walk } from './walk.ts';
import type { WalkEvent } from './walk-event.ts';
import { walkText } from './walk-text.ts';

/** What `run` takes. */
export interface RunFlags extends SourceFlags, StateFlags {
  readonly session?: string;
  readonly context?: string;
  readonly agent?: string;
  readonly output?: readonly string[];
}

/** What is gone through: a new session of a workflow, or one that is there. */
export type Subject = { readonly workflow: string } | { readonly session: string };

/** Goes through a workflow at the terminal, or with what was prepared. */
export async function run(line: CommandLine, subject: Subject, flags: RunFlags): Promise<ExitCode> {
  const { terminal } = line;
  const variables = flags.context === undefined ? {} : await readContext(flags.context);
  const interruption = new AbortController();
  const guide = await openGuide(line, flags.output ?? [], interruption.signal);
  const place = await placeOf(line, flags);
  const options = { ...(await personOptionsOf(line, flags)), ...place };
  const host = createHost({ ...options, environment: line.env });
  const asJson = flags.json === true;
  const tell = async (event: WalkEvent): Promise<void> => {
    if (asJson) return terminal.printExact(`${jsonText(event)}\n`);
    const text = walkText(event, terminal);
    if (text !== '') await terminal.print(`${text}\n`);
  };
  // Where nothing more can be read, the session is left as it stands.
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
    const { sid, workflow, isNew } = begun;
    await tell({ event: isNew ? 'started' : 'resumed', sid, workflow });
    const end = await walk(
      { host, guide, sid, goOn: goOnWith(sid, flags), tell },
      { token: begun.token, variables },
    );
    return end === 'left' && guide.isPrepared ? exitCodes.ok : exitCodeOfWalk(end);
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave);
    await guide.close();
    await host.close();
  }
}

/** An address of a database may hold a password, so it is not repeated. */
function goOnWith(sid: string, { state }: RunFlags): string {
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

/** Variables as JSON, or from a file. @throws WorkflowError INVALID_PARAMS */
async function readContext(given: string): Promise<JsonObject> {
  const value = readJson(given.startsWith('@') ? await readFile(given.slice(1), 'utf8') : given);
  if (isJsonObject(value)) return value;
  throw new WorkflowError(
    'INVALID_PARAMS',
    '--context takes a JSON object of variables, or @ and the name of a file that holds one.',
  );
}
