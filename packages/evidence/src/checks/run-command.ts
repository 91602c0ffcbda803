import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, relative, sep, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { CommandOutput } from '@workflowlookup/core/sessions';
import { writeOutHidden } from '@workflowlookup/schema';

/** The variable by which the processes of a command are recognized after they left its process group. */
const runVariable = 'WORKFLOWLOOKUP_RUN';

/** How often processes are looked for: a process may start another one while it is being looked for. */
const maxRounds = 20;

/** Processes by id, each with the inode of its folder in /proc, by which another process with this id is recognized. */
type Processes = ReadonlyMap<number, number | undefined>;

/**
 * Ends processes of a command that left its process group. Processes from before the command are skipped by their id
 * and inode, because reading the environment of a process takes ten times as long. Only Linux exposes the environment
 * of processes, so on other systems a daemon that a command starts can keep running.
 */
function endStrays(run: string, earlier: Processes): void {
  const mark = `${runVariable}=${run}`;
  const isEarlier = (pid: number): boolean => earlier.has(pid) && earlier.get(pid) === inodeOf(pid);
  for (let round = 0; round < maxRounds; round += 1) {
    const strays = processIds().filter((pid) => !isEarlier(pid) && hasVariable(pid, mark));
    if (strays.length === 0) return;
    for (const pid of strays) kill(pid);
  }
}

/**
 * Returns the ids of all processes. /proc is in memory, so it is read synchronously: asynchronous reads take ten times
 * as long.
 */
function processIds(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    // Only Linux has /proc.
    return [];
  }
}

function inodeOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`).ino;
  } catch {
    // It has ended.
    return undefined;
  }
}

function hasVariable(pid: number, variable: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(variable);
  } catch {
    // Processes of other users can't be read, and some processes end in the meantime.
    return false;
  }
}

/** Ends a process at once, or a whole group if the number is negative. */
function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** Names of variables that hold secrets, or that change how `git` and programs on Node.js behave. */
const withheld =
  /^(WORKFLOWLOOKUP_|WORKFLOW_|GIT_|PG|DATABASE_URL$|NODE_OPTIONS$|LD_PRELOAD$)|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|_DSN$/i;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns a search path without the folders of a project, as a variable, or nothing if no folder remains. `npx` puts
 * `node_modules/.bin` of the working folder and of all folders above it first, and an agent can write a program named
 * `git` or `npm` there.
 */
export function pathWithoutProject(path: string | undefined, folder: string): { readonly PATH?: string } {
  if (path === undefined) return {};
  const kept = path
    .split(delimiter)
    .filter((entry) => {
      // A link can lead to the folder.
      const places = [entry, realPathOf(entry)];
      return isAbsolute(entry) && !places.some((place) => isOfProject(place, folder));
    })
    .join(delimiter);
  // With an empty PATH, programs in the working folder would be found.
  return kept === '' ? {} : { PATH: kept };
}

function isOfProject(place: string, folder: string): boolean {
  const [above, rest] = place.split(`${sep}node_modules${sep}.bin`, 2);
  return isWithin(folder, place) || (rest !== undefined && isWithin(above || sep, folder));
}

function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // It does not exist.
    return path;
  }
}

function isWithin(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/**
 * Returns the environment for a command: that of the server, without its options, without variables that look like
 * secrets, and without the project's folders in PATH. `allowed` names secrets that a check needs. The server's own
 * options are never passed.
 */
export function commandEnvironment(
  environment: Environment,
  { folder, allowed = [] }: { readonly folder: string; readonly allowed?: readonly string[] },
): Record<string, string> {
  const isPassed = (name: string): boolean =>
    !withheld.test(name) || (allowed.includes(name) && !/^WORKFLOWLOOKUP_/i.test(name));
  const passed = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || name === 'PATH' || !isPassed(name) ? [] : [[name, value] as const],
  );
  const path = pathWithoutProject(environment['PATH'], folder);
  return { ...Object.fromEntries(passed), ...path, CI: environment['CI'] ?? 'true', NO_COLOR: '1' };
}

/** How much of the end of an output is kept. */
const keptBytes = 4096;

/** Takes the output of a command chunk by chunk. Keeps only its end and its digest, so its size does not matter. */
function recordOutput() {
  const hash = createHash('sha256');
  let bytes = 0;
  // Everything is copied into this memory: a new buffer for each chunk would add up until memory is collected.
  const end = Buffer.alloc(keptBytes);
  let kept = 0;
  const tail = (): string => plainText(end.subarray(0, kept));
  return {
    add(chunk: Buffer): void {
      hash.update(chunk);
      bytes += chunk.length;
      const added = Math.min(chunk.length, keptBytes);
      const left = Math.min(kept, keptBytes - added);
      end.copyWithin(0, kept - left, kept);
      chunk.copy(end, left, chunk.length - added);
      kept = left + added;
    },
    bytes: (): number => bytes,
    lastLine: (): string => tail().trimEnd().split('\n').at(-1)?.slice(-200) ?? '',
    finish: (): CommandOutput => ({ digest: `sha256:${hash.digest('hex')}`, bytes, tail: tail() }),
  };
}

/**
 * Opens a stream for the output of a command: the command writes to one end, which must be closed as soon as the command
 * has inherited it, and the server reads from the other end into one reused buffer. The pipes of `spawn` allocate memory
 * for each chunk, so that 50 MB of output would make the server half as large again until the garbage is collected.
 */
async function openOutput(onData: (chunk: Buffer) => void): Promise<Record<'read' | 'write', Socket>> {
  const server = createServer();
  try {
    const path = join(tmpdir(), `wl-${randomUUID()}`);
    server.listen(path);
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    const buffer = Buffer.alloc(64 * 1024);
    const read = createConnection({
      path,
      onread: {
        buffer,
        callback: (bytes) => {
          onData(buffer.subarray(0, bytes));
          return true;
        },
      },
    });
    await once(read, 'connect');
    const [write] = (await accepted) as [Socket];
    for (const one of [read, write]) one.on('error', () => one.destroy());
    return { write, read: read.resume() };
  } finally {
    server.close();
  }
}

/** Decodes an output that may begin within a character. Control characters and escape sequences could deceive a reader. */
function plainText(bytes: Buffer): string {
  let start = 0;
  while (start < Math.min(4, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  const text = stripVTControlCharacters(bytes.subarray(start).toString('utf8')).replaceAll('\r\n', '\n');
  // Written out, a character takes more room.
  return writeOutHidden(text.replaceAll('\r', '\n')).slice(-keptBytes);
}

/** A command to run. */
interface CommandRequest {
  /** A list is run as it is, a text is run by the shell. */
  readonly command: string | readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The command is ended if it writes more. Default 256 MiB. */
  readonly maxBytes?: number;
}

/** How a command ended. */
export interface CommandResult {
  readonly ended: 'itself' | 'timeout' | 'cancelled' | 'too-much-output' | 'not-started';
  /** Absent if the command did not end by itself, or by a signal. */
  readonly exitCode?: number;
  readonly endedBy?: NodeJS.Signals;
  readonly durationMs: number;
  readonly output: CommandOutput;
}

/** A command that runs. */
export interface RunningCommand {
  /** Resolves when its process is started, or could not be. */
  readonly started: Promise<void>;
  readonly result: Promise<CommandResult>;
  lastLine(): string;
}

/** The time between asking a command to end and killing it. */
const graceMs = 1000;

/** How long to wait for the rest of the output after a command has ended. */
const drainMs = 1000;

const defaultMaxBytes = 256 * 1024 * 1024;

/**
 * Starts a watchdog process and then becomes the command. The watchdog reads from file descriptor 3: if the server ends
 * without closing it properly, everything that the command started is killed. It is a grandchild, so that the command
 * has no child that it did not start itself. `$1` is the id of the run.
 */
const supervisor = `run=$1; shift
( (
  exec </dev/null >/dev/null 2>&1
  trap '' HUP INT TERM QUIT
  if read -r _ <&3; then exit 0; fi
  for round in 1 2 3 4 5; do
    for file in $(grep -lsaF "${runVariable}=$run" /proc/[0-9]*/environ); do
      pid=\${file#/proc/}; kill -KILL "\${pid%/environ}"
    done
  done
  kill -KILL -- -$$
) & )
exec 3<&-
export ${runVariable}="$run"
exec "$@" 2>&1`;

/**
 * Runs a command in a process group of its own, without input. When the command ends or is stopped, every process that
 * it started is ended. Its output is never held in memory as a whole.
 */
export function runCommand(request: CommandRequest): RunningCommand {
  const { command, folder, environment, timeoutMs, signal, maxBytes = defaultMaxBytes } = request;
  const startedMs = performance.now();
  const recorder = recordOutput();
  const run = randomUUID();
  const list = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  let ended: CommandResult['ended'] = 'itself';
  let onStarted = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    onStarted = resolve;
  });

  function finished(more: Pick<CommandResult, 'exitCode' | 'endedBy'> = {}): CommandResult {
    return {
      ended,
      ...more,
      durationMs: Math.round(performance.now() - startedMs),
      output: recorder.finish(),
    };
  }

  async function carryOut(): Promise<CommandResult> {
    let onData = (chunk: Buffer): void => recorder.add(chunk);
    const stream = await openOutput((chunk) => onData(chunk)).catch(() => undefined);
    if (stream === undefined) return end('not-started');
    const { read: stdout, write } = stream;
    if (signal?.aborted === true) {
      write.destroy();
      stdout.destroy();
      return end('cancelled');
    }
    // Read before the command starts, because its processes could reuse the id of a process that has just ended.
    const earlier = new Map(processIds().map((id) => [id, inodeOf(id)]));
    const child = spawn('/bin/sh', ['-c', supervisor, 'sh', run, ...list], {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ['ignore', write, 'ignore', 'pipe'],
    });
    write.destroy();
    onStarted();
    const lifeline = child.stdio[3] as Writable;
    lifeline.on('error', () => {
      // The watchdog at the other end has already ended.
    });
    const { pid } = child;
    let force: NodeJS.Timeout | undefined;
    const stop = (why: CommandResult['ended']): void => {
      if (ended !== 'itself' || pid === undefined) return;
      ended = why;
      kill(-pid, 'SIGTERM');
      force = setTimeout(() => kill(-pid), graceMs);
    };
    onData = (chunk) => {
      recorder.add(chunk);
      if (recorder.bytes() > maxBytes) stop('too-much-output');
    };
    const timer = setTimeout(() => stop('timeout'), timeoutMs);
    const onAbort = (): void => stop('cancelled');
    signal?.addEventListener('abort', onAbort);
    try {
      const { code, by } = await exitOf(child);
      if (pid !== undefined) kill(-pid);
      endStrays(run, earlier);
      lifeline.end('done\n');
      await endOf(stdout);
      if (ended !== 'itself') return finished();
      return finished(by === null ? { exitCode: code ?? 0 } : { endedBy: by });
    } catch {
      // The shell or the folder does not exist.
      return end('not-started');
    } finally {
      clearTimeout(timer);
      clearTimeout(force);
      signal?.removeEventListener('abort', onAbort);
      stdout.destroy();
    }
  }

  function end(why: CommandResult['ended']): CommandResult {
    ended = why;
    return finished();
  }

  const result = carryOut();
  result.then(onStarted, onStarted);
  return { started, result, lastLine: recorder.lastLine };
}

function exitOf(child: ChildProcess): Promise<{ code: number | null; by: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, by) => resolve({ code, by }));
  });
}

/** Waits until the output has arrived; a process of another user could hold it open. */
function endOf(stdout: Readable): Promise<void> {
  if (stdout.readableEnded || stdout.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, drainMs);
    stdout.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
