import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HookAct, AnsweredCall } from '@workflowlookup/host/hook-acts';
import {
  appendHookLine,
  findAnsweredCall,
  hooksFolder,
  pruneHookAgents,
} from '@workflowlookup/host/hook-acts';
import type { HookClient, HookEvent } from './events.ts';
import type { CheckBefore } from './observe.ts';

/** A workflow session that an agent of a client works in. */
export interface BoundSession {
  readonly sid: string;
  /** The newest token that the agent received. */
  readonly token: string;
  /** The revision that this token knows. */
  readonly revision?: number;
  /** When it was seen; ISO 8601. */
  readonly at: string;
}

/** The stored state of one agent in one session of a client. */
export interface Binding {
  /** The last one is the session that the agent works in now. The others are its unfinished parents. */
  readonly sessions: readonly BoundSession[];
  /** How many stops were blocked since the last progress of the agent's sessions. */
  readonly blocks?: { readonly progress: string; readonly count: number };
  /** A running command that the session asks for as a check. */
  readonly check?: CheckBefore;
  /** How many bytes of the client's transcript were read, if only the transcript shows a compaction. */
  readonly readBytes?: number;
  /** Whether the next prompt gets the packet. Some clients ignore the reply of their hook when they clear a session. */
  readonly isPacketDue?: boolean;
  /** What the rules did at the newest events, so that a hook that runs twice for one event counts it once. */
  readonly done?: readonly DoneAct[];
}

/** What a rule did at an event. */
export interface DoneAct {
  readonly act: string;
  /** Identifies the event. Absent if the client provides no identifier. */
  readonly key?: string;
  readonly client: string;
  readonly atMs: number;
  /** The names of other hooks that were called for the same event. */
  readonly echoes?: readonly string[];
  readonly reply?: unknown;
  /** The progress of the agent's sessions when it stopped. */
  readonly progress?: string;
}

/** Identifies an agent in a session of a client. Session ids differ between clients. */
export type AgentKey = Pick<HookEvent, 'session' | 'agent'>;

export const emptyBinding: Binding = { sessions: [] };

/** Stores the state of hooks between events. */
export type Bindings = ReturnType<typeof bindingsIn>;

/** Keeps bindings in a folder of the state directory, one file for each agent, readable only by its user. */
export const fileBindings: (stateDirectory: string) => Bindings = bindingsIn;

function bindingsIn(stateDirectory: string) {
  const folder = hooksFolder(stateDirectory);

  function fileNamed(...names: readonly string[]): string {
    const name = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 32);
    return join(folder, 'agents', `${name}.json`);
  }

  const fileOf = ({ session, agent }: AgentKey): string => fileNamed(session, agent);
  const fileOfProcess = (id: string): string => fileNamed('process', id, '');

  function write(file: string, value: object): void {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(value), { mode: 0o600 });
    renameSync(draft, file);
  }

  return {
    load(agent: AgentKey): Binding {
      const found = readJson(fileOf(agent)) as Binding | undefined;
      return Array.isArray(found?.sessions) ? found : emptyBinding;
    },
    save: (agent: AgentKey, binding: Binding): void => write(fileOf(agent), binding),
    /** Stores the id of a session that the user cleared, for the next session of the same client process. */
    saveCleared: (processId: string, session: string): void =>
      write(fileOfProcess(processId), { cleared: session }),
    /** Returns the cleared session of a process and deletes the entry. */
    takeCleared(processId: string): string | undefined {
      const file = fileOfProcess(processId);
      const { cleared } = (readJson(file) ?? {}) as { readonly cleared?: unknown };
      rmSync(file, { force: true });
      return typeof cleared === 'string' ? cleared : undefined;
    },
    /** Returns the server's answer to a tool call, by the client's id of the call. */
    call: (toolUseId: string): AnsweredCall | undefined => findAnsweredCall(stateDirectory, toolUseId),
    /** Runs work while no other hook of the same agent does. After half a second of waiting, runs it anyway. */
    async alone<T>(agent: AgentKey, work: () => Promise<T>): Promise<T> {
      const lock = `${fileOf(agent)}.lock`;
      const isMine = await acquire(lock);
      try {
        return await work();
      } finally {
        if (isMine) rmSync(lock, { force: true });
      }
    },
    /** Deletes the state of agents without recent events. */
    prune: (): void => pruneHookAgents(stateDirectory, Date.now()),
    record: (act: HookAct): void => appendHookLine(stateDirectory, 'acts.jsonl', act),
    /** Logs the error that kept a hook from doing its work. */
    logError(error: unknown, what: string): void {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const line = { at: new Date().toISOString(), what, message: message.slice(0, 2000) };
      appendHookLine(stateDirectory, 'errors.jsonl', line);
    },
  };
}

function runFile(stateDirectory: string, client: HookClient): string {
  return join(hooksFolder(stateDirectory), 'runs', client);
}

/** Notes that a client has called its hook, so that its user can see that the hook runs. */
export function noteRun(stateDirectory: string, client: HookClient): void {
  const file = runFile(stateDirectory, client);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, '', { mode: 0o600 });
}

/** Returns when a client last began a session with the hook, in any project. */
export function lastRun(stateDirectory: string, client: HookClient): Date | undefined {
  return statSync(runFile(stateDirectory, client), { throwIfNoEntry: false })?.mtime;
}

/** Returns the value in a file, or `undefined` if the file is missing or broken: an agent then binds itself again. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const waitMs = 500;
/** A lock this old was left by a process that died. */
const staleMs = 5000;

/** Returns whether the lock was acquired. A hook must not wait long, because the client waits for it. */
async function acquire(lock: string): Promise<boolean> {
  mkdirSync(dirname(lock), { recursive: true, mode: 0o700 });
  const until = Date.now() + waitMs;
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
    const age = ageOf(lock);
    if (age !== undefined && age > staleMs) rmSync(lock, { force: true });
    else if (Date.now() > until) return false;
    else await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

function ageOf(file: string): number | undefined {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    // Its owner has just removed it.
    return undefined;
  }
}
