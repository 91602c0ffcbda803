import { appendFileSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** An action of a rule in a client of an agent. */
export interface HookAct {
  /** ISO 8601. */
  readonly at: string;
  /** The client, as `hooks install` names it. */
  readonly client: string;
  readonly rule: 'bind' | 'edit' | 'observe' | 'rehydrate' | 'stop';
  readonly act:
    | 'answered'
    | 'blocked'
    | 'bound'
    | 'denied'
    | 'observed'
    | 'packet'
    | 'parked'
    | 'released'
    | 'unknown-command';
  readonly sid?: string;
}

/** The folder of hooks in a state directory. */
export function hooksFolder(stateDirectory: string): string {
  return join(stateDirectory, 'hooks');
}

/** When a file reaches this size, it is renamed and replaces the file that was renamed before. */
const maxBytes = 1024 * 1024;

/** Appends a line to a file of hooks. The newest 1 to 2 MB of each file are kept. */
export function appendHookLine(stateDirectory: string, file: string, line: object): void {
  const folder = hooksFolder(stateDirectory);
  const path = join(folder, file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (bytesOf(path) > maxBytes) {
    try {
      renameSync(path, `${path}.old`);
    } catch {
      // Another hook has just renamed it.
    }
  }
  appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

/** Returns the lines of a file of hooks, those in the renamed file first. */
export function hookLines(stateDirectory: string, file: string): readonly string[] {
  const path = join(hooksFolder(stateDirectory), file);
  return [`${path}.old`, path].flatMap((one) => textOf(one).split('\n')).filter((line) => line !== '');
}

/** Returns the actions of hook rules, the oldest first. Incomplete lines, for example after a crash, are skipped. */
export function readHookActs(stateDirectory: string): readonly HookAct[] {
  return hookLines(stateDirectory, 'acts.jsonl').flatMap((line) => {
    try {
      const act = JSON.parse(line) as HookAct;
      return typeof act.rule === 'string' && typeof act.act === 'string' ? [act] : [];
    } catch {
      // A crash cut the line off.
      return [];
    }
  });
}

/** The file with the tool calls whose answer had a session token. */
const callsFile = 'calls.jsonl';

/** A tool call that a server answered, as hooks look it up. */
export interface AnsweredCall {
  /** The id that the client gave the call. */
  readonly id: string;
  readonly tool: string;
  /** The session token in the answer. */
  readonly token: string;
}

/** Records a call to which the client gave an id, so that the client's hooks can find its session. */
export function recordAnsweredCall(stateDirectory: string, { id, tool, token }: AnsweredCall): void {
  appendHookLine(stateDirectory, callsFile, { id, tool, token });
}

/** Returns the call with an id, or `undefined` if no server has recorded it. */
export function findAnsweredCall(stateDirectory: string, id: string): AnsweredCall | undefined {
  const start = `${JSON.stringify({ id }).slice(0, -1)},`;
  const line = hookLines(stateDirectory, callsFile).findLast((one) => one.startsWith(start));
  if (line === undefined) return undefined;
  try {
    return JSON.parse(line) as AnsweredCall;
  } catch {
    // A crash cut the line off.
    return undefined;
  }
}

const dayMs = 86_400_000;

/** The maximum number of agents whose files are kept. */
const maxAgents = 5000;

/**
 * Removes the files of agents that were inactive for 30 days, and all but the newest 5,000. It runs at most once a day.
 */
export function pruneHookAgents(stateDirectory: string, nowMs: number): void {
  const folder = join(hooksFolder(stateDirectory), 'agents');
  const mark = join(hooksFolder(stateDirectory), 'pruned');
  if (nowMs - changedMs(mark) < dayMs || changedMs(folder) === 0) return;
  rmSync(mark, { force: true });
  appendFileSync(mark, '', { mode: 0o600 });
  const files = readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, changed: changedMs(path) }))
    .toSorted((one, other) => other.changed - one.changed);
  for (const [at, { path, changed }] of files.entries())
    if (at >= maxAgents || nowMs - changed > 30 * dayMs) rmSync(path, { force: true });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // There is no such file.
    return '';
  }
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function changedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
