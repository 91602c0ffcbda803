import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HookAct } from '@workflowlookup/host/hook-acts';
import { appendHookLine, hooksFolder, pruneHookAgents } from '@workflowlookup/host/hook-acts';
import type { HookEvent } from './events.ts';
import type { CheckBefore } from './observe.ts';

/** A workflow session that an agent of a client works in. */
export interface BoundSession {
  readonly sid: string;
  /** The newest token that the agent was seen to get. */
  readonly token: string;
  /** The revision that this token knows. */
  readonly revision?: number;
  /** When it was seen; ISO 8601. */
  readonly at: string;
}

/** What is kept of one agent in one session of a client. */
export interface Binding {
  /** The session that the agent works in now is the last one. Those before it are its unfinished parents. */
  readonly sessions: readonly BoundSession[];
  /** Stops that were blocked since the last accepted transition. */
  readonly blocks?: { readonly sid: string; readonly since: number; readonly count: number };
  /** A command that runs now, and that the session asks for as a check. */
  readonly check?: CheckBefore;
  /** How many bytes of the client's transcript were looked at, if only the transcript tells of a compaction. */
  readonly readBytes?: number;
  /** Replies to the newest events, so that a hook that runs twice for one event counts it once. */
  readonly replies?: readonly { readonly key: string; readonly reply: unknown }[];
}

export const emptyBinding: Binding = { sessions: [] };

/** Where hooks keep what they know between two events. */
export interface Bindings {
  load(event: Pick<HookEvent, 'client' | 'session' | 'agent'>): Binding;
  save(event: Pick<HookEvent, 'client' | 'session' | 'agent'>, binding: Binding): void;
  /** Runs work that no other hook of the same agent runs at the same time, or runs it anyway after half a second. */
  alone<T>(event: Pick<HookEvent, 'client' | 'session' | 'agent'>, work: () => Promise<T>): Promise<T>;
  /** Forgets agents that were not heard of for long. */
  prune(): void;
  record(act: HookAct): void;
  /** Writes down why a hook could not do its work. */
  logError(error: unknown, what: string): void;
}

/** Keeps bindings in a folder of the state directory, one file for each agent, readable only by its user. */
export function fileBindings(stateDirectory: string): Bindings {
  const folder = hooksFolder(stateDirectory);

  function fileOf({ client, session, agent }: Pick<HookEvent, 'client' | 'session' | 'agent'>): string {
    const name = createHash('sha256')
      .update(JSON.stringify([client, session, agent]))
      .digest('hex')
      .slice(0, 32);
    return join(folder, 'agents', `${name}.json`);
  }

  return {
    load(event) {
      const text = readIfThere(fileOf(event));
      return text === undefined ? emptyBinding : (JSON.parse(text) as Binding);
    },
    save(event, binding) {
      const file = fileOf(event);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const draft = `${file}.${process.pid}`;
      writeFileSync(draft, JSON.stringify(binding), { mode: 0o600 });
      renameSync(draft, file);
    },
    async alone(event, work) {
      const lock = `${fileOf(event)}.lock`;
      const isMine = await acquire(lock);
      try {
        return await work();
      } finally {
        if (isMine) rmSync(lock, { force: true });
      }
    },
    prune: () => pruneHookAgents(stateDirectory, Date.now()),
    record: (act) => appendHookLine(stateDirectory, 'acts.jsonl', act),
    logError(error, what) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const line = { at: new Date().toISOString(), what, message: message.slice(0, 2000) };
      appendHookLine(stateDirectory, 'errors.jsonl', line);
    },
  };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
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
