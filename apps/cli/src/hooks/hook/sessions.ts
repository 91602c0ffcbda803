import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { AskedEvidence } from '@workflowlookup/core/operator';
import type { Host } from '@workflowlookup/host';
import type { Evidence } from '@workflowlookup/schema';
import type { Environment } from '../../commands/command-line.ts';
import { defined, present } from '../../commands/command-line.ts';
import type { BoundSession } from './bindings.ts';
import { hookReplies } from '../../messages/hook-replies.ts';
import type { ToolKind } from './tools.ts';

// Most events need only a view of the session, which is read directly from the database. The engine takes longer to
// load, so it is loaded only if a rule acts.

/** The part of a session that a hook needs. */
export interface SessionView {
  readonly sid: string;
  readonly workflow: string;
  readonly status: 'active' | 'blocked' | 'parked' | 'completed';
  readonly revision: number;
  /** The revision that entered the current activity: it grows with every accepted transition. */
  readonly since: number;
  readonly activity?: string;
  /** What the current activity allows; absent if it allows everything. */
  readonly allows?: readonly ToolKind[];
  readonly lastAnswer?: { readonly checkpoint: string; readonly answer: string; readonly at: string };
}

interface State {
  readonly since: number;
  readonly current?: string;
  readonly lastAnswer?: {
    readonly checkpoint: string;
    readonly answer: { readonly kind: string; readonly option?: string };
    readonly at: string;
  };
}

interface Activity {
  readonly id: string;
  readonly definition?: { readonly allows?: readonly ToolKind[] };
}

type Rows = readonly Readonly<Record<string, unknown>>[];

interface ReadOnlyDatabase {
  prepare(sql: string): { all(...values: readonly string[]): unknown[] };
  close(): unknown;
}

interface NodeSqlite {
  readonly DatabaseSync: new (file: string, options: { readonly readOnly: boolean }) => ReadOnlyDatabase;
}

/** The query for the snapshots of a session and of its definition. */
const select = `SELECT s.workflow_id AS workflow, s.status AS status, s.revision AS revision,
  s.state AS state, d.body AS body FROM sessions s LEFT JOIN definitions d ON d.digest = s.digest WHERE s.sid = ?`;

/**
 * Reads a session from the database of a state directory, without the engine and without writing. Seals are not
 * checked: a hook is a guardrail, and whoever can write to the database can change the hook too. Returns `undefined` if
 * there is no such session.
 *
 * @throws an error of the driver if the database is missing, locked or broken
 */
export async function readSession(stateDirectory: string, sid: string): Promise<SessionView | undefined> {
  const db = await openReadOnly(join(stateDirectory, 'sessions.db'));
  try {
    // A server may be writing at this moment. Its writes take a few milliseconds.
    db.prepare('PRAGMA busy_timeout = 1000').all();
    const [row] = db.prepare(select).all(sid) as Rows;
    return row === undefined ? undefined : viewOf(sid, row);
  } finally {
    db.close();
  }
}

function viewOf(sid: string, row: Rows[number]): SessionView {
  const { state } = row;
  const { since, current, lastAnswer } = (
    typeof state === 'string' ? JSON.parse(state) : { since: 0 }
  ) as State;
  const allows = current === undefined ? undefined : allowsOf(row['body'], current);
  return {
    sid,
    workflow: String(row['workflow']),
    status: String(row['status']) as SessionView['status'],
    revision: Number(row['revision']),
    since,
    ...defined({ activity: current, allows }),
    ...(lastAnswer && {
      lastAnswer: { ...lastAnswer, answer: lastAnswer.answer.option ?? lastAnswer.answer.kind },
    }),
  };
}

/** Returns what an activity allows. A definition without the word is not parsed, because it may be long. */
function allowsOf(body: unknown, activity: string): readonly ToolKind[] | undefined {
  if (typeof body !== 'string' || !body.includes('"allows"')) return undefined;
  const { activities } = JSON.parse(body) as { readonly activities?: readonly Activity[] };
  return activities?.find(({ id }) => id === activity)?.definition?.allows;
}

/** Opens a database with Node's own SQLite, or else with the library that servers use on older versions of Node. */
async function openReadOnly(file: string): Promise<ReadOnlyDatabase> {
  if (process.versions['sqlite'] !== undefined) {
    const sqlite = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
    if (sqlite !== undefined) return new sqlite.DatabaseSync(file, { readOnly: true });
  }
  const { default: Database } = await import('libsql');
  return new Database(file, { readonly: true, fileMustExist: true }) as unknown as ReadOnlyDatabase;
}

/** Characters that a packet has at most. A token of a model has at least three of them. */
const maxPacketChars = 3000;

/** A command that may be a check of a project. */
interface CheckCommand {
  readonly folder: string;
  readonly command: string;
}

/** The part of the engine that a hook needs if it acts. */
export type HookEngine = ReturnType<typeof engineIn>;

/** Makes the engine of a state directory. Each use loads and opens what it needs, and closes it again. */
export const createHookEngine: (stateDirectory: string, environment: Environment) => HookEngine = engineIn;

function engineIn(stateDirectory: string, environment: Environment) {
  async function withHost<T>(work: (host: Host) => Promise<T>): Promise<T> {
    const { createHost } = await import('@workflowlookup/host');
    const host = createHost({ environment, stateDirectory });
    try {
      return await work(host);
    } finally {
      await host.close();
    }
  }

  /** Returns the state of all files of a folder. */
  async function treeOf({ trust }: Host, folder: string): Promise<string | undefined> {
    const { createCollector } = await import('@workflowlookup/evidence');
    const collector = createCollector({
      folder: await realpath(folder),
      stateFolder: stateDirectory,
      environment,
      trust: trust.checks,
    });
    try {
      return await collector.tree();
    } finally {
      await collector.close();
    }
  }

  /** Returns the evidence that is asked for at the level `observed` and that a command proves, if a person trusts it. */
  async function askedFor(
    host: Host,
    { sid }: BoundSession,
    { folder, command }: CheckCommand,
  ): Promise<{ readonly activity: string; readonly asked: readonly AskedEvidence[] } | undefined> {
    const { activity, project, asked: all } = await host.operator.evidence(sid);
    if (activity === undefined || (project !== undefined && project !== (await realpath(folder))))
      return undefined;
    const observable = all.filter(({ evidence }) => isObservable(evidence));
    if (observable.length === 0) return undefined;
    const { commandText, readProjectChecks } = await import('@workflowlookup/evidence');
    const found = await readProjectChecks(folder);
    if (found === undefined || (await host.trust.checks.entry(found.path))?.digest !== found.digest)
      return undefined;
    const checks = new Map(Object.entries(found.checks?.checks ?? {}));
    const asked = observable.filter(({ evidence }) => {
      const check = 'check' in evidence ? checks.get(evidence.check) : undefined;
      return check !== undefined && commandText(check.run).trim() === command;
    });
    return asked.length === 0 ? undefined : { activity, asked };
  }

  return {
    /** Returns the state of the files, if the session asks for a command as a check that a person trusts. */
    treeBefore: (session: BoundSession, run: CheckCommand): Promise<string | undefined> =>
      withHost(async (host) => (await askedFor(host, session, run)) && treeOf(host, run.folder)),
    /** Records how a check ended, as evidence of the level `observed`. Returns the ids of the evidence. */
    recordCheck: (
      session: BoundSession,
      { exitCode, tree, ...run }: CheckCommand & { readonly exitCode: number; readonly tree: string },
    ): Promise<readonly string[]> =>
      withHost(async (host) => {
        const found = await askedFor(host, session, run);
        if (found === undefined || (await treeOf(host, run.folder)) !== tree) return [];
        const result = {
          outcome: exitCode === 0 ? ('passed' as const) : ('failed' as const),
          reasons: exitCode === 0 ? [] : [hookReplies.checkFailed(exitCode)],
          command: run.command,
          exitCode,
          tree,
        };
        const results = found.asked.map(({ evidence, digest }) => ({
          evidence: evidence.id,
          demand: digest,
          result,
        }));
        const hook = host.operatorOf({ person: 'hook', channel: 'command-line' });
        await hook.reportEvidence(session.sid, { activity: found.activity, results });
        return results.map(({ evidence }) => evidence);
      }),
    /** Returns the next call as one line, with the token in it. */
    nextCall: (session: BoundSession): Promise<string> =>
      withHost(async (host) => nextCallText(await host.operator.task(session.sid), session)),
    /** Returns what an agent has to know after it lost its context, in at most 1,000 tokens. */
    packet: (session: BoundSession): Promise<string> => withHost((host) => packetText(host, session)),
    park: (sid: string): Promise<void> =>
      withHost(async ({ operator }) => {
        await operator.park(sid, { reason: hookReplies.parkedByHook(), by: 'hook' });
      }),
  };
}

/** Returns whether a client that saw a command end has seen all that evidence asks for. */
function isObservable(evidence: Evidence): boolean {
  if (!('check' in evidence) || (evidence.level !== 'observed' && evidence.level !== 'claimed')) return false;
  const { tests, min, max_failures: most, coverage, at } = evidence;
  return [tests, min, most, coverage, at].every((demand) => demand === undefined);
}

type Task = Awaited<ReturnType<Host['operator']['task']>>;

/** Returns the one call that continues a session. */
function nextCallText(
  task: Pick<Task, 'next' | 'steps' | 'activity' | 'obstacle'>,
  { token }: Pick<BoundSession, 'token'>,
): string {
  const call = (tool: string, more: object = {}): string =>
    `${tool} ${JSON.stringify({ session_token: token, ...more })}`;
  const wait = task.next.find((one) => one.kind === 'yield');
  if (wait !== undefined && task.steps.find((step) => step.isDue)?.checkpoint === wait.checkpoint)
    return call('yield_checkpoint', { checkpoint_id: wait.checkpoint });
  if (task.next.some(({ kind }) => kind === 'answer')) return call('present_checkpoint');
  const move = task.next.find((one) => one.kind === 'move');
  if (move === undefined || task.obstacle !== undefined) return call('get_workflow_status');
  const steps = move.steps.slice(0, 12).map((id) => ({ step_id: id, output: '<output>' }));
  return call('next_activity', steps.length === 0 ? {} : { step_manifest: steps });
}

async function packetText({ operator }: Pick<Host, 'operator'>, session: BoundSession): Promise<string> {
  const { sid, token } = session;
  const [task, summary] = await Promise.all([operator.task(sid), operator.summary(sid)]);
  const { workflow, activity, steps } = task;
  const due = steps.filter(({ isDue }) => isDue).map(({ id }) => id);
  const question = task.status === 'blocked' ? await operator.present(sid) : undefined;
  const lines = present([
    hookReplies.packetSession(sid, workflow.id, workflow.title),
    activity && hookReplies.packetActivity(activity.id, activity.name, summary?.progress.done ?? 0),
    due.length > 0 && hookReplies.packetSteps(cut(due.join(', '), 900)),
    question && hookReplies.packetCheckpoint(question.checkpoint.id, cut(question.checkpoint.message, 500)),
    summary?.parked && hookReplies.packetParked(summary.parked.reason),
    activity !== undefined && question === undefined && hookReplies.packetRead(token),
    hookReplies.nextCall(cut(nextCallText(task, session), 900)),
  ]);
  return cut(hookReplies.packet(lines), maxPacketChars);
}

function cut(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars)}…` : text;
}
