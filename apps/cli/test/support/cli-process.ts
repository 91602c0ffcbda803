import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** The result of a run of the command line. */
interface Ended {
  /** Exit code, or the signal that ended the process. */
  readonly code: number | NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** A running process of the command line. */
export interface CliProcess {
  readonly ended: Promise<Ended>;
  readonly child: ChildProcess;
  readonly out: () => string;
}

export interface CliOptions {
  readonly entry: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. In a terminal, one line answers each question. */
  readonly input?: string;
  /** Keeps the standard input open after this input. */
  readonly keepsInputOpen?: boolean;
  /** Runs it in a terminal, with `script` of util-linux. */
  readonly inTerminal?: boolean;
  /** Runs it as another user. */
  readonly uid?: number;
  readonly gid?: number;
}

/** Starts the command line. Of the environment of this process, it gets only PATH. */
export function startCli(args: readonly string[], options: CliOptions): CliProcess {
  const { entry, cwd, env = {}, input = '', keepsInputOpen = false, inTerminal = false, uid, gid } = options;
  const command = [process.execPath, entry, ...args];
  const [program = '', ...rest] = inTerminal
    ? [
        'script',
        '-qec',
        `stty cols 100 rows 40; ${command.map((word) => `'${word}'`).join(' ')}`,
        '/dev/null',
      ]
    : command;
  const child = spawn(program, rest, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ...env },
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  child.stdin.on('error', () => undefined);
  if (inTerminal) answerEach(input.match(/[^\n]*\n|[^\n]+$/g) ?? []);
  else if (keepsInputOpen) child.stdin.write(input);
  else child.stdin.end(input);
  /** Writes one line for each question. The input stays open, because closing a terminal ends its program. */
  function answerEach(lines: readonly string[]): void {
    let answered = 0;
    child.stdout.on('data', () => {
      const asked = out.match(/\(y\/N\)|Answer \(/g)?.length ?? 0;
      for (; answered < asked; answered += 1) child.stdin.write(lines[answered] ?? '');
    });
  }
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code: code ?? signal, out, err }));
  });
  return { ended, child, out: () => out };
}
