import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { CommandOutput } from '@workflowlookup/core/sessions';
import { openOutput, recordOutput } from './output.ts';
import { endStrays, kill, runVariable } from './strays.ts';

/** A command to run. */
export interface CommandRequest {
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
  readonly result: Promise<CommandResult>;
  elapsedMs(): number;
  lastLine(): string;
}

/** Time between the request to end and the end by force. */
const graceMs = 1000;

/** Time in which the output of an ended command must arrive. */
const drainMs = 1000;

const defaultMaxBytes = 256 * 1024 * 1024;

/**
 * Becomes the command, after it has started a process that waits for the end of the server. That process reads from file
 * descriptor 3: if the server ends before it closes the descriptor properly, everything that the command started is
 * ended. It is a grandchild, so that the command has no child that it did not start. `$1` is the id of the run.
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
 * Runs a command in a process group of its own, without input. When it ends, or is ended, nothing that it started stays.
 * Its output is never held in memory as a whole.
 */
export function runCommand(request: CommandRequest): RunningCommand {
  const { command, folder, environment, timeoutMs, signal, maxBytes = defaultMaxBytes } = request;
  const startedMs = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startedMs);
  const recorder = recordOutput();
  const run = randomUUID();
  const list = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  let ended: CommandResult['ended'] = 'itself';

  function finished(more: Pick<CommandResult, 'exitCode' | 'endedBy'> = {}): CommandResult {
    return { ended, ...more, durationMs: elapsedMs(), output: recorder.finish() };
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
    const child = spawn('/bin/sh', ['-c', supervisor, 'sh', run, ...list], {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ['ignore', write, 'ignore', 'pipe'],
    });
    write.destroy();
    const lifeline = child.stdio[3] as Writable;
    lifeline.on('error', () => {
      // The process that waits at the other end has ended with the others.
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
      endStrays(run);
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

  return { result: carryOut(), elapsedMs, lastLine: recorder.lastLine };
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
